#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/little_endian.h"
#include "io/mesh/mesh_formats.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

using OrderedJson = nlohmann::ordered_json;

// Constants of the specification.
constexpr std::uint32_t kMagic = 0x46546C67, kVersion = 2, kJsonChunk = 0x4E4F534A, kBinaryChunk = 0x004E4942;
constexpr std::size_t kFileHeaderBytes = 12, kChunkHeaderBytes = 8;
constexpr int kUnsignedByte = 5121, kUnsignedShort = 5123, kUnsignedInt = 5125, kFloat = 5126, kTriangles = 4;
constexpr int kArrayBuffer = 34962, kElementArrayBuffer = 34963;
constexpr std::size_t kAlignment = 4;
constexpr std::size_t kMostShortVertices = 65535;  ///< the index 65535 itself is reserved

void pad(std::string& bytes, char with) {
  bytes.resize((bytes.size() + kAlignment - 1) / kAlignment * kAlignment, with);
}

OrderedJson as_json(const Eigen::Vector3f& vector) { return {vector.x(), vector.y(), vector.z()}; }

/// Zero normals are not allowed and are replaced by an arbitrary direction.
Points unit_normals(const Points& normals) {
  Points units = normals;
  for (Eigen::Vector3f& normal : units) {
    if (!(normal.squaredNorm() > 0)) normal = Eigen::Vector3f::UnitY();
    normal.normalize();
  }
  return units;
}

Points differences(const Points& to, const Points& from) {
  Points result(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) result[i] = to[i] - from[i];
  return result;
}

/// Builds the binary chunk and its description.
class GlbWriter {
 public:
  explicit GlbWriter(const std::string& generator) {
    document_["asset"] = {{"version", "2.0"}, {"generator", generator}};
  }

  /// Each function returns the index of its accessor.
  std::size_t add_vectors(const Points& vectors, bool with_bounds) {
    OrderedJson accessor = {{"componentType", kFloat}, {"count", vectors.size()}, {"type", "VEC3"}};
    if (with_bounds) {
      Eigen::Vector3f low = vectors.front(), high = vectors.front();
      for (const Eigen::Vector3f& vector : vectors) {
        low = low.cwiseMin(vector);
        high = high.cwiseMax(vector);
      }
      accessor["min"] = as_json(low);
      accessor["max"] = as_json(high);
    }
    begin_view(kArrayBuffer);
    for (const Eigen::Vector3f& vector : vectors) {
      for (const float component : vector) append_little_endian(binary_, component);
    }
    return end_view(std::move(accessor));
  }

  std::size_t add_indices(const std::vector<Triangle>& triangles, std::size_t vertex_count) {
    const bool is_short = vertex_count <= kMostShortVertices;
    begin_view(kElementArrayBuffer);
    for (const Triangle& triangle : triangles) {
      for (const std::int32_t vertex : triangle) {
        if (is_short) {
          append_little_endian(binary_, static_cast<std::uint16_t>(vertex));
        } else {
          append_little_endian(binary_, static_cast<std::uint32_t>(vertex));
        }
      }
    }
    return end_view({{"componentType", is_short ? kUnsignedShort : kUnsignedInt},
                     {"count", 3 * triangles.size()},
                     {"type", "SCALAR"}});
  }

  std::size_t add_numbers(const std::array<float, 3>& numbers) {
    begin_view(0);
    for (const float number : numbers) append_little_endian(binary_, number);
    return end_view({{"componentType", kFloat},
                     {"count", numbers.size()},
                     {"type", "SCALAR"},
                     {"min", OrderedJson::array({*std::ranges::min_element(numbers)})},
                     {"max", OrderedJson::array({*std::ranges::max_element(numbers)})}});
  }

  OrderedJson& document() { return document_; }

  std::string finish() {
    document_["buffers"] = OrderedJson::array({OrderedJson{{"byteLength", binary_.size()}}});
    std::string text = document_.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
    pad(text, ' ');
    pad(binary_, '\0');
    std::string bytes;
    for (const std::uint32_t word : {kMagic, kVersion,
                                     static_cast<std::uint32_t>(kFileHeaderBytes + kChunkHeaderBytes + text.size() +
                                                                kChunkHeaderBytes + binary_.size()),
                                     static_cast<std::uint32_t>(text.size()), kJsonChunk}) {
      append_little_endian(bytes, word);
    }
    bytes += text;
    append_little_endian(bytes, static_cast<std::uint32_t>(binary_.size()));
    append_little_endian(bytes, kBinaryChunk);
    return bytes + binary_;
  }

 private:
  void begin_view(int target) {
    pad(binary_, '\0');
    view_ = {{"buffer", 0}, {"byteOffset", binary_.size()}};
    if (target != 0) view_["target"] = target;
  }

  std::size_t end_view(OrderedJson accessor) {
    view_["byteLength"] = binary_.size() - view_["byteOffset"].get<std::size_t>();
    accessor["bufferView"] = document_["bufferViews"].size();
    document_["bufferViews"].push_back(std::move(view_));
    document_["accessors"].push_back(std::move(accessor));
    return document_["accessors"].size() - 1;
  }

  OrderedJson document_;
  OrderedJson view_;
  std::string binary_;
};

void describe_scene(OrderedJson& document, OrderedJson primitive) {
  document["scene"] = 0;
  document["scenes"] = OrderedJson::array({OrderedJson{{"nodes", OrderedJson::array({0})}}});
  document["nodes"] = OrderedJson::array({OrderedJson{{"mesh", 0}}});
  const OrderedJson surface = {
      {"baseColorFactor", {0.6, 0.65, 0.7, 1.0}}, {"metallicFactor", 0.0}, {"roughnessFactor", 0.7}};
  document["materials"] = OrderedJson::array({OrderedJson{{"pbrMetallicRoughness", surface}}});
  primitive["material"] = 0;
  document["meshes"] = OrderedJson::array({OrderedJson{{"primitives", OrderedJson::array({std::move(primitive)})}}});
}

OrderedJson primitive_of(GlbWriter& writer, const TriangleMesh& mesh) {
  OrderedJson primitive;
  primitive["attributes"]["POSITION"] = writer.add_vectors(mesh.vertices, true);
  primitive["attributes"]["NORMAL"] = writer.add_vectors(unit_normals(mesh.normals), false);
  primitive["indices"] = writer.add_indices(mesh.triangles, mesh.vertices.size());
  return primitive;
}

/// Reads the accessors of a file. Every problem is an InputError with the file's name.
class GlbDecoder {
  using Json = nlohmann::json;  // finds a key in logarithmic time, even in a hostile file with many keys

 public:
  GlbDecoder(std::string_view bytes, const std::string& name) : name_(name) {
    if (bytes.size() < kFileHeaderBytes || !bytes.starts_with("glTF")) fail("is not a GLB");
    if (word_at(bytes, 4) != kVersion) fail(fmt::format("is of glTF version {}", word_at(bytes, 4)));
    if (word_at(bytes, 8) != bytes.size()) {
      fail(fmt::format("has {} bytes where its header says {}", bytes.size(), word_at(bytes, 8)));
    }
    bytes.remove_prefix(kFileHeaderBytes);
    document_ = parse_document(parse_chunk(bytes, kJsonChunk));
    binary_ = parse_chunk(bytes, kBinaryChunk);
  }

  TriangleMesh mesh() const {
    check_nodes();
    const Json& primitive = only(only(document_, "meshes"), "primitives");
    if (primitive.contains("mode") && primitive["mode"] != kTriangles) fail("holds something else than triangles");
    const Json& attributes = member(primitive, "attributes");
    TriangleMesh mesh{vectors(attributes, "POSITION"), {}};
    if (mesh.vertices.empty()) fail("has no vertex");
    for (const Eigen::Vector3f& vertex : mesh.vertices) {
      if (!vertex.allFinite()) fail("a vertex is not finite");
    }
    if (attributes.contains("NORMAL")) mesh.normals = normals(attributes, mesh.vertices.size());
    mesh.triangles = triangles(primitive, mesh.vertices.size());
    return mesh;
  }

 private:
  struct Accessor {
    std::string_view bytes;  // from its first element on
    std::size_t count, stride;
    int component_type;
  };

  [[nodiscard]] Json parse_document(std::string_view text) const {
    try {
      Json document = parse_json(text);
      if (document.is_object()) return document;
    } catch (const InputError& error) {
      fail(fmt::format("its JSON is damaged ({})", error.what()));
    }
    fail("its JSON is damaged");
  }

  [[noreturn]] void fail(std::string_view what) const {
    throw InputError(
        fmt::format("{}: {}; expected a GLB of one mesh of triangles, without transformations, sparse or "
                    "compressed arrays",
                    name_, what));
  }

  static std::uint32_t word_at(std::string_view bytes, std::size_t place) {
    return static_cast<std::uint32_t>(little_endian(bytes.substr(place, 4)));
  }

  std::string_view parse_chunk(std::string_view& bytes, std::uint32_t type) const {
    if (bytes.size() < kChunkHeaderBytes || word_at(bytes, 4) != type) fail("a chunk is missing");
    const std::size_t size = word_at(bytes, 0);
    bytes.remove_prefix(kChunkHeaderBytes);
    if (size > bytes.size()) fail("is cut off");
    const std::string_view chunk = bytes.substr(0, size);
    bytes.remove_prefix(size);
    return chunk;
  }

  const Json& member(const Json& object, const char* key) const {
    if (!object.is_object() || !object.contains(key)) fail(fmt::format("has no \"{}\"", key));
    return object.at(key);
  }

  /// The only element of an array.
  const Json& only(const Json& object, const char* key) const {
    const Json& array = member(object, key);
    if (!array.is_array() || array.size() != 1) fail(fmt::format("\"{}\" does not hold one element", key));
    return array[0];
  }

  const Json& element(const char* key, const Json& index) const {
    const Json& array = member(document_, key);
    if (!array.is_array() || !index.is_number_unsigned() || index.get<std::uint64_t>() >= array.size()) {
      fail(fmt::format("an index of \"{}\" is out of range", key));
    }
    return array[index.get<std::size_t>()];
  }

  std::size_t number(const Json& object, const char* key, std::size_t otherwise) const {
    if (!object.is_object() || !object.contains(key)) return otherwise;
    // Values larger than the file are invalid, and sums of a few valid ones do not overflow.
    if (!object[key].is_number_unsigned() || object[key].get<std::uint64_t>() > kMaxNumber) {
      fail(fmt::format("\"{}\" is not a fitting number", key));
    }
    return object[key].get<std::size_t>();
  }

  void check_nodes() const {
    if (!document_.contains("nodes") || !document_["nodes"].is_array()) return;
    for (const Json& node : document_["nodes"]) {
      for (const char* key : {"matrix", "rotation", "scale", "translation"}) {
        if (node.is_object() && node.contains(key)) fail(fmt::format("a node has a {}", key));
      }
    }
  }

  Accessor accessor(const Json& index, std::string_view type, std::size_t components) const {
    const Json& described = element("accessors", index);
    const Json& view = element("bufferViews", member(described, "bufferView"));
    if (described.contains("sparse") || member(described, "type") != type) fail("an accessor is of another kind");
    if (number(view, "buffer", 0) != 0) fail("refers to another file");
    Accessor result{};
    result.component_type = static_cast<int>(number(described, "componentType", 0));
    const std::size_t size = components * component_bytes(result.component_type);
    result.count = number(described, "count", 0);
    result.stride = number(view, "byteStride", size);
    const std::size_t begin = number(view, "byteOffset", 0), inner = number(described, "byteOffset", 0);
    const std::size_t length = number(view, "byteLength", 0);
    if (result.stride < size || begin + length > binary_.size()) fail("a buffer view lies outside of the buffer");
    if (result.count == 0) return result;
    if (result.count > length / size || inner + (result.count - 1) * result.stride + size > length) {
      fail("an accessor lies outside of its buffer view");
    }
    result.bytes = binary_.substr(begin + inner);
    return result;
  }

  std::size_t component_bytes(int type) const {
    switch (type) {
      case kUnsignedByte:
        return 1;
      case kUnsignedShort:
        return 2;
      case kUnsignedInt:
      case kFloat:
        return 4;
      default:
        fail("an accessor is of another kind");
    }
  }

  Points vectors(const Json& attributes, const char* key) const {
    const Accessor source = accessor(member(attributes, key), "VEC3", 3);
    if (source.component_type != kFloat) fail("an accessor is of another kind");
    Points points;
    points.reserve(source.count);
    for (std::size_t i = 0; i < source.count; ++i) {
      Eigen::Vector3f& point = points.emplace_back();
      for (std::size_t axis = 0; axis < 3; ++axis) {
        point[static_cast<int>(axis)] = std::bit_cast<float>(word_at(source.bytes, i * source.stride + 4 * axis));
      }
    }
    return points;
  }

  Points normals(const Json& attributes, std::size_t vertex_count) const {
    Points normals = vectors(attributes, "NORMAL");
    if (normals.size() != vertex_count) fail("has another number of normals than of vertices");
    for (Eigen::Vector3f& normal : normals) {
      if (!normal.allFinite()) normal.setZero();
      normal.stableNormalize();
    }
    return normals;
  }

  std::vector<Triangle> triangles(const Json& primitive, std::size_t vertex_count) const {
    const Accessor source = accessor(member(primitive, "indices"), "SCALAR", 1);
    if (source.component_type == kFloat || source.count % 3 != 0) fail("its indices are no triangles");
    const std::size_t size = component_bytes(source.component_type);
    std::vector<Triangle> result(source.count / 3);
    for (std::size_t i = 0; i < source.count; ++i) {
      const std::uint64_t vertex = little_endian(source.bytes.substr(i * source.stride, size));
      if (vertex >= vertex_count) fail(fmt::format("a triangle names vertex {} of {}", vertex, vertex_count));
      result[i / 3][i % 3] = static_cast<std::int32_t>(vertex);
    }
    return result;
  }

  static constexpr std::uint64_t kMaxNumber = 1ULL << 31;

  const std::string& name_;
  Json document_;
  std::string_view binary_;
};

}  // namespace

std::string format_glb(const TriangleMesh& mesh, const std::string& generator) {
  GlbWriter writer(generator);
  OrderedJson primitive = primitive_of(writer, mesh);
  describe_scene(writer.document(), std::move(primitive));
  return writer.finish();
}

std::string format_morphing_glb(const TriangleMesh& from, const TriangleMesh& to, float seconds,
                                const std::string& generator) {
  GlbWriter writer(generator);
  OrderedJson primitive = primitive_of(writer, from);
  const Points normals = differences(unit_normals(to.normals), unit_normals(from.normals));
  OrderedJson target;
  target["POSITION"] = writer.add_vectors(differences(to.vertices, from.vertices), true);
  target["NORMAL"] = writer.add_vectors(normals, false);
  primitive["targets"] = OrderedJson::array({std::move(target)});
  const std::size_t times = writer.add_numbers({0, seconds, 2 * seconds});
  const std::size_t weights = writer.add_numbers({0, 1, 0});
  describe_scene(writer.document(), std::move(primitive));
  OrderedJson& document = writer.document();
  document["meshes"][0]["weights"] = OrderedJson::array({0.0});
  OrderedJson sampler = {{"input", times}, {"interpolation", "LINEAR"}, {"output", weights}};
  OrderedJson channel = {{"sampler", 0}, {"target", {{"node", 0}, {"path", "weights"}}}};
  document["animations"] = OrderedJson::array({OrderedJson{{"name", "morph"},
                                                           {"samplers", OrderedJson::array({std::move(sampler)})},
                                                           {"channels", OrderedJson::array({std::move(channel)})}}});
  return writer.finish();
}

TriangleMesh parse_glb(std::string_view bytes, const std::string& name) { return GlbDecoder(bytes, name).mesh(); }

}  // namespace p2mpp
