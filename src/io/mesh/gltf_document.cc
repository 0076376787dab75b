#include "io/mesh/gltf_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "base/json_text.h"
#include "base/little_endian.h"
#include "base/text.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr std::uint64_t kMaxNumber = 1ULL << 31;
constexpr std::size_t kMostZeros = 4'000'000;  ///< elements that no byte of the file stands for

constexpr std::array kMeshopt = {"EXT_meshopt_compression", "KHR_meshopt_compression"};
/// Extensions that a file may require although geometry and colours can be read without them, or that are read.
constexpr std::array<std::string_view, 12> kHarmlessExtensions = {"KHR_materials_",
                                                                  "KHR_texture_",
                                                                  "EXT_texture_",
                                                                  "MSFT_texture_",
                                                                  "KHR_lights_",
                                                                  "KHR_xmp",
                                                                  "KHR_mesh_quantization",
                                                                  "KHR_animation_",
                                                                  "EXT_mesh_gpu_instancing",
                                                                  "KHR_draco_mesh_compression",
                                                                  kMeshopt[0],
                                                                  kMeshopt[1]};

std::uint32_t word_at(std::string_view bytes, std::size_t place) {
  return static_cast<std::uint32_t>(little_endian(bytes.substr(place, 4)));
}

/// "%20" as a blank.
std::string without_percents(std::string_view uri) {
  std::string text;
  for (std::size_t i = 0; i < uri.size(); ++i) {
    unsigned value = 0;
    const char* const digits = uri.data() + i + 1;
    const bool is_code =
        uri[i] == '%' && i + 2 < uri.size() && std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2;
    text += is_code ? static_cast<char>(value) : uri[i];
    i += is_code ? 2 : 0;
  }
  return text;
}

}  // namespace

double GltfArray::at(std::size_t element, std::size_t component) const {
  if (bytes.empty()) return 0;
  const std::uint64_t bits =
      little_endian(bytes.substr(element * stride + component * component_bytes, component_bytes));
  const auto scaled = [&](double value, double most) { return is_normalized ? std::max(value / most, -1.0) : value; };
  switch (type) {
    case gltf::kByte:
      return scaled(static_cast<std::int8_t>(bits), 127);
    case gltf::kUnsignedByte:
      return scaled(static_cast<double>(bits), 255);
    case gltf::kShort:
      return scaled(static_cast<std::int16_t>(bits), 32767);
    case gltf::kUnsignedShort:
      return scaled(static_cast<double>(bits), 65535);
    case gltf::kUnsignedInt:
      return static_cast<double>(bits);
    default:
      return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  }
}

std::uint64_t GltfArray::index_at(std::size_t element) const {
  return bytes.empty() ? 0 : little_endian(bytes.substr(element * stride, component_bytes));
}

bool GltfArray::is_float() const { return type == gltf::kFloat; }
bool GltfArray::is_unsigned() const {
  return type == gltf::kUnsignedByte || type == gltf::kUnsignedShort || type == gltf::kUnsignedInt;
}

GltfDocument::GltfDocument(std::string_view bytes, const std::string& name, MeshReading& reading)
    : name_(name), reading_(reading) {
  const std::string_view text = bytes.starts_with("glTF") ? take_json_chunk(bytes) : bytes;
  if (trimmed(without_byte_order_mark(text.substr(0, 64))).substr(0, 1) != "{") fail("is not a glTF file");
  try {
    document_ = parse_json(text);
  } catch (const InputError& error) {
    fail(fmt::format("its JSON is damaged ({})", error.what()));
  }
  if (!document_.is_object()) fail("its JSON is damaged");
  check_extensions();
  read_buffers();
}

void GltfDocument::fail(std::string_view what) const {
  throw InputError(fmt::format("{}: {}; expected a glTF 2.0 file with a mesh of triangles", name_, what));
}

std::string_view GltfDocument::take_json_chunk(std::string_view bytes) {
  if (bytes.size() < gltf::kFileHeaderBytes) fail("is cut off");
  if (word_at(bytes, 4) != gltf::kVersion) fail(fmt::format("is of glTF version {}", word_at(bytes, 4)));
  const std::size_t size = word_at(bytes, 8);
  if (size > bytes.size()) fail(fmt::format("has {} bytes where its header says {}", bytes.size(), size));
  bytes = bytes.substr(0, size);  // some programs append bytes of their own
  bytes.remove_prefix(std::min(gltf::kFileHeaderBytes, bytes.size()));
  std::string_view json;
  while (bytes.size() >= gltf::kChunkHeaderBytes) {
    const std::size_t length = word_at(bytes, 0);
    const std::uint32_t type = word_at(bytes, 4);
    bytes.remove_prefix(gltf::kChunkHeaderBytes);
    if (length > bytes.size()) fail("is cut off");
    if (type == gltf::kJsonChunk && json.empty()) json = bytes.substr(0, length);
    if (type == gltf::kBinaryChunk && binary_chunk_.empty()) binary_chunk_ = bytes.substr(0, length);
    bytes.remove_prefix(length);
  }
  if (json.empty()) fail("a chunk is missing");
  return json;
}

void GltfDocument::check_extensions() const {
  for (const GltfJson& extension : list(document_, "extensionsRequired")) {
    const std::string text = extension.is_string() ? extension.get<std::string>() : std::string();
    const bool is_harmless =
        std::ranges::any_of(kHarmlessExtensions, [&](std::string_view prefix) { return text.starts_with(prefix); });
    if (!is_harmless) fail(fmt::format("requires the extension '{}', which p2mpp does not know", printable(text, 60)));
  }
}

template <typename Compute>
auto GltfDocument::with_failures(const Compute& compute) const {
  try {
    return compute();
  } catch (const InputError& error) {
    fail(error.what());
  }
}

void GltfDocument::read_buffers() {
  for (const GltfJson& buffer : list(document_, "buffers")) {
    const GltfJson* const uri = find(buffer, "uri");
    if (uri == nullptr) {
      buffers_.push_back(buffers_.empty() ? binary_chunk_ : std::string_view());
      continue;
    }
    if (!uri->is_string()) fail("a buffer's URI is not a string");
    const auto& text = uri->get_ref<const std::string&>();
    if (!read_.contains(text)) {
      try {
        read_[text] = uri_bytes(text);
      } catch (const InputError& error) {
        fail(fmt::format("a buffer cannot be read: {}", error.what()));
      }
    }
    buffers_.emplace_back(read_.at(text));
  }
}

std::string GltfDocument::uri_bytes(const std::string& uri) const {
  if (std::optional<std::string> data = decode_data_uri(uri)) return *std::move(data);
  if (reading_.folder.empty()) throw InputError(fmt::format("'{}' is in another file", printable(uri, 100)));
  return read_companion(reading_, without_percents(uri));
}

const GltfJson* GltfDocument::find(const GltfJson& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

const GltfJson& GltfDocument::member(const GltfJson& object, const char* key) const {
  const GltfJson* const found = find(object, key);
  if (found == nullptr) fail(fmt::format("has no \"{}\"", key));
  return *found;
}

const GltfJson& GltfDocument::list(const GltfJson& object, const char* key) const {
  static const GltfJson none = GltfJson::array();
  const GltfJson* const found = find(object, key);
  if (found == nullptr) return none;
  if (!found->is_array()) fail(fmt::format("\"{}\" is not a list", key));
  return *found;
}

std::size_t GltfDocument::index_of(const char* key, const GltfJson& index) const {
  if (!index.is_number_unsigned() || index.get<std::uint64_t>() >= list(document_, key).size()) {
    fail(fmt::format("an index of \"{}\" is out of range", key));
  }
  return index.get<std::size_t>();
}

const GltfJson& GltfDocument::element(const char* key, const GltfJson& index) const {
  return list(document_, key)[index_of(key, index)];
}

std::size_t GltfDocument::whole_number(const GltfJson& object, const char* key, std::size_t otherwise) const {
  const GltfJson* const found = find(object, key);
  if (found == nullptr) return otherwise;
  // Values larger than the file are invalid, and sums of a few valid ones do not overflow.
  if (!found->is_number_unsigned() || found->get<std::uint64_t>() > kMaxNumber) {
    fail(fmt::format("\"{}\" is not a number in the valid range", key));
  }
  return found->get<std::size_t>();
}

std::vector<double> GltfDocument::numbers(const GltfJson& object, const char* key,
                                          std::vector<double> otherwise) const {
  const GltfJson* const found = find(object, key);
  if (found == nullptr) return otherwise;
  std::vector<double> result;
  if (found->is_array()) {
    for (const GltfJson& number : *found) result.push_back(number.is_number() ? number.get<double>() : NAN);
  }
  const bool is_finite = std::ranges::all_of(result, [](double number) { return std::isfinite(number); });
  if (result.size() != otherwise.size() || !is_finite) {
    fail(fmt::format("\"{}\" is not a list of {} numbers", key, otherwise.size()));
  }
  return result;
}

std::string_view GltfDocument::part_of_buffer(const GltfJson& part) const {
  const std::size_t buffer = whole_number(part, "buffer", 0);
  if (buffer >= buffers_.size()) fail("an index of \"buffers\" is out of range");
  const std::size_t begin = whole_number(part, "byteOffset", 0), length = whole_number(part, "byteLength", 0);
  if (begin + length > buffers_[buffer].size()) fail("a buffer view lies outside of the buffer");
  return buffers_[buffer].substr(begin, length);
}

std::string_view GltfDocument::buffer_view(const GltfJson& index) const {
  const GltfJson& view = element("bufferViews", index);
  const GltfJson* const extensions = find(view, "extensions");
  for (const char* const name : kMeshopt) {
    const GltfJson* const packed = extensions != nullptr ? find(*extensions, name) : nullptr;
    if (packed == nullptr) continue;
    const auto [known, is_new] = unpacked_views_.try_emplace(index.get<std::size_t>());
    if (is_new) {
      const auto text = [&](const char* key) {
        const GltfJson* const found = find(*packed, key);
        return found != nullptr && found->is_string() ? found->get<std::string>() : std::string();
      };
      const MeshoptView described{whole_number(*packed, "count", 0), whole_number(*packed, "byteStride", 0),
                                  text("mode"), text("filter")};
      known->second = with_failures([&] { return unpack_meshopt(part_of_buffer(*packed), described); });
    }
    return known->second;
  }
  return part_of_buffer(view);
}

void GltfDocument::unpack(const GltfJson& primitive) {
  const GltfJson* const extensions = find(primitive, "extensions");
  const GltfJson* const packed = extensions != nullptr ? find(*extensions, "KHR_draco_mesh_compression") : nullptr;
  if (packed == nullptr) return;
  const GltfJson& attributes = member(primitive, "attributes");
  const GltfJson& positions = member(attributes, "POSITION");
  if (find(element("accessors", positions), "bufferView") != nullptr) return;
  if (unpacked_arrays_.contains(index_of("accessors", positions))) return;
  std::vector<std::size_t> accessors;
  std::vector<DracoArray> arrays;
  const auto add = [&](const GltfJson& accessor, int attribute) {
    const GltfJson& described = element("accessors", accessor);
    const GltfJson* const type = find(described, "type");
    const std::string name = type != nullptr && type->is_string() ? type->get<std::string>() : std::string();
    const std::size_t components = name == "SCALAR" ? 1
                                   : name.starts_with("VEC") && name.size() == 4
                                       ? static_cast<std::size_t>(name[3] - '0')
                                       : 0;
    if (components < 1 || components > 4) fail("an accessor has the wrong type");
    accessors.push_back(index_of("accessors", accessor));
    arrays.push_back({attribute, static_cast<int>(whole_number(described, "componentType", 0)), components,
                      whole_number(described, "count", 0)});
    static_cast<void>(component_bytes(arrays.back().type));
  };
  const GltfJson& in_stream = member(*packed, "attributes");
  if (!in_stream.is_object() || !attributes.is_object()) fail("its attributes are damaged");
  for (const auto& [name, number] : in_stream.items()) {
    const GltfJson* const accessor = find(attributes, name.c_str());
    if (accessor != nullptr) add(*accessor, static_cast<int>(whole_number(in_stream, name.c_str(), 0)));
  }
  if (const GltfJson* const indices = find(primitive, "indices"); indices != nullptr) add(*indices, -1);
  std::vector<std::string> unpacked =
      with_failures([&] { return unpack_draco(buffer_view(member(*packed, "bufferView")), arrays); });
  for (std::size_t i = 0; i < accessors.size(); ++i) unpacked_arrays_[accessors[i]] = std::move(unpacked[i]);
}

GltfArray GltfDocument::array(const GltfJson& accessor, std::string_view type, std::size_t components) const {
  const GltfJson& described = element("accessors", accessor);
  if (member(described, "type") != type) fail("an accessor has the wrong type");
  GltfArray result;
  result.type = static_cast<int>(whole_number(described, "componentType", 0));
  result.component_bytes = component_bytes(result.type);
  result.components = components;
  const GltfJson* const normalized = find(described, "normalized");
  result.is_normalized = normalized != nullptr && *normalized == true;
  result.count = whole_number(described, "count", 0);
  const auto unpacked = unpacked_arrays_.find(index_of("accessors", accessor));
  if (unpacked != unpacked_arrays_.end()) {
    result.stride = components * result.component_bytes;
    result.bytes = unpacked->second;
    if (result.bytes.size() != result.count * result.stride) fail("an accessor has the wrong type");
  } else {
    place_elements(described, result);
  }
  if (const GltfJson* const sparse = find(described, "sparse"); sparse != nullptr) patch_elements(*sparse, result);
  return result;
}

void GltfDocument::place_elements(const GltfJson& accessor, GltfArray& array) const {
  const std::size_t size = array.components * array.component_bytes;
  array.stride = size;
  const GltfJson* const view = find(accessor, "bufferView");
  if (view == nullptr) {
    if (array.count > kMostZeros) fail("an accessor has too many elements without a buffer view");
    return;
  }
  const std::string_view bytes = buffer_view(*view);
  array.stride = whole_number(element("bufferViews", *view), "byteStride", size);
  if (array.stride < size) fail("a buffer view's elements overlap");
  if (array.count == 0) return;
  const std::size_t inner = whole_number(accessor, "byteOffset", 0);
  if (array.count > bytes.size() / size || inner + (array.count - 1) * array.stride + size > bytes.size()) {
    fail("an accessor lies outside of its buffer view");
  }
  array.bytes = bytes.substr(inner);
}

/// Elements of a sparse array have other values than the buffer view's, or than zero.
void GltfDocument::patch_elements(const GltfJson& sparse, GltfArray& array) const {
  GltfArray places, values = array;
  places.components = 1;
  places.count = values.count = whole_number(sparse, "count", 0);
  values.bytes = {};
  const GltfJson &described_places = member(sparse, "indices"), &described_values = member(sparse, "values");
  places.type = static_cast<int>(whole_number(described_places, "componentType", 0));
  places.component_bytes = component_bytes(places.type);
  if (!places.is_unsigned() || places.count > array.count) fail("a sparse accessor is damaged");
  place_elements(described_places, places);
  place_elements(described_values, values);
  const std::size_t size = array.components * array.component_bytes;
  std::string dense(array.count * size, '\0');
  for (std::size_t i = 0; i < array.count && !array.bytes.empty(); ++i) {
    array.bytes.copy(dense.data() + i * size, size, i * array.stride);
  }
  for (std::size_t i = 0; i < places.count; ++i) {
    const std::uint64_t place = places.index_at(i);
    if (place >= array.count) fail("a sparse accessor is damaged");
    if (!values.bytes.empty()) values.bytes.copy(dense.data() + place * size, size, i * values.stride);
  }
  array.patched = std::make_shared<const std::string>(std::move(dense));
  array.bytes = *array.patched;
  array.stride = size;
}

std::size_t GltfDocument::component_bytes(int type) const {
  if (type == gltf::kByte || type == gltf::kUnsignedByte) return 1;
  if (type == gltf::kShort || type == gltf::kUnsignedShort) return 2;
  if (type != gltf::kUnsignedInt && type != gltf::kFloat) fail("an accessor has the wrong type");
  return 4;
}

}  // namespace p2mpp
