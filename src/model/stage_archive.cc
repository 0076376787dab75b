#include "model/stage_archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>

#include "base/archive/zip_file.h"
#include "base/bfloat16.h"
#include "io/pickle/pickle_machine.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr std::array kFiles = {"stage1.pt", "stage2.pt", "volume.pt"};
constexpr int kDeepestModule = 16;
constexpr std::size_t kMostParameters = 100'000;
constexpr std::size_t kTableEntry = 128;  // bytes of an entry of a map, without its name

// IEEE 754 binary16.
float from_half(std::uint16_t bits) {
  constexpr float kSmallest = 0x1p-24F;
  constexpr std::uint32_t kBiasDifference = 127 - 15;
  const std::uint32_t sign = (bits & 0x8000U) << 16U, exponent = bits >> 10U & 31U, mantissa = bits & 1023U;
  if (exponent == 0) return (sign != 0 ? -kSmallest : kSmallest) * static_cast<float>(mantissa);
  const std::uint32_t wide = exponent == 31 ? 255 : exponent + kBiasDifference;
  return std::bit_cast<float>(sign | wide << 23U | mantissa << 13U);
}

template <class Stored, class Convert>
std::vector<float> converted(std::string_view bytes, Convert convert) {
  std::vector<float> values(bytes.size() / sizeof(Stored));
  for (std::size_t i = 0; i < values.size(); ++i) {
    Stored stored;
    std::memcpy(&stored, bytes.data() + i * sizeof stored, sizeof stored);
    values[i] = convert(stored);
  }
  return values;
}

std::size_t element_size(pickle::Global type) {
  if (type == pickle::Global::kFloatStorage) return 4;
  if (type == pickle::Global::kDoubleStorage) return 8;
  return type == pickle::Global::kHalfStorage || type == pickle::Global::kBFloat16Storage ? 2 : 0;
}

std::vector<float> converted(std::string_view bytes, pickle::Global type) {
  if (type == pickle::Global::kDoubleStorage) {
    return converted<double>(bytes, [](double value) { return static_cast<float>(value); });
  }
  if (type == pickle::Global::kHalfStorage) return converted<std::uint16_t>(bytes, from_half);
  if (type == pickle::Global::kBFloat16Storage) return converted<Bfloat16>(bytes, float_from);
  return converted<float>(bytes, [](float value) { return value; });
}

// The number of elements; nullopt if the tensor is not contiguous in row-major order.
std::optional<std::int64_t> row_major_count(const pickle::Values& shape, const pickle::Values& strides) {
  if (strides.size() != shape.size()) return std::nullopt;
  std::int64_t count = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (shape[i].number != 1 && strides[i].number != count) return std::nullopt;
    if (__builtin_mul_overflow(count, shape[i].number, &count)) return std::nullopt;
  }
  return count;
}

bool all_finite(std::span<const float> values) {
  constexpr std::uint32_t kExponent = 0x7f800000;  // all ones: infinite or not a number
  std::uint32_t found = 0;
  for (const float value : values) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    found |= static_cast<std::uint32_t>((bits & kExponent) == kExponent);
  }
  return found == 0;
}

}  // namespace

struct StageArchive::Reading {
  const pickle::Heap& heap;
  const std::map<std::string, std::string_view, std::less<>>& files;
  std::string folder;  // in the archive, with a slash
  std::map<std::string, pickle::Value> attributes;
  // The remaining budget of time (for names, which take bytes in the archive's directory or pickle, and for elements)
  // and of memory.
  std::uint64_t name_bytes, element_bytes, memory;

  // False if the budget is exceeded.
  [[nodiscard]] static bool spend(std::uint64_t& budget, std::uint64_t bytes) {
    if (bytes > budget) return false;
    budget -= bytes;
    return true;
  }
};

StageArchive::StageArchive(const Model& model, int stage)
    : path_(model.info.folder / kFiles.at(static_cast<std::size_t>(stage - 1))) {
  for (const auto& [given, parameter] : model.given_parameters.at(static_cast<std::size_t>(stage - 1))) {
    parameters_[given] = {parameter.shape, parameter.values};
  }
  if (!parameters_.empty()) return;
  const std::string name = path_.string();
  const std::array archives = {&model.stage1_archive, &model.stage2_archive, &model.volume_archive};
  const std::string_view archive = *archives.at(static_cast<std::size_t>(stage - 1));
  const auto files = files_of(archive);
  const std::string_view wanted = "/data.pkl";
  const auto pickled = std::ranges::find_if(files, [&](const auto& file) { return file.first.ends_with(wanted); });
  if (pickled == files.end()) fail("not a TorchScript archive (there is no data.pkl in it)");
  std::size_t memory = pickle::memory_limit(archive.size());
  for (const auto& [file, contents] : files) memory -= std::min(memory, kTableEntry + file.size());
  pickle::ModuleMachine machine(pickled->second, name, memory);
  const pickle::Value root = machine.run();
  if (root.kind != pickle::Kind::kModule) fail("not a TorchScript archive (there is no module in it)");
  const std::string folder = pickled->first.substr(0, pickled->first.size() - wanted.size() + 1);
  Reading reading{machine.heap(), files, folder, {}, archive.size(), archive.size(), memory - machine.used_memory()};
  collect_module(reading, root.index(), "", 0);
  check_identity(reading, stage, model.info.semantics);
}

std::map<std::string, std::string_view, std::less<>> StageArchive::files_of(std::string_view archive) const {
  try {
    return stored_files(archive);
  } catch (const InputError& error) {
    fail(fmt::format("not a TorchScript archive ({})", error.what()));
  }
}

void StageArchive::collect_module(Reading& reading, std::size_t module, const std::string& prefix, int depth) {
  if (depth > kDeepestModule || parameters_.size() > kMostParameters) fail("nests its modules too deep");
  const pickle::Values& items = reading.heap.sequences[module];
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    if (items[i].kind != pickle::Kind::kUnicode) fail("an attribute's name is not a text");
    const std::string_view own_name = reading.heap.texts[items[i].index()];
    if (!Reading::spend(reading.name_bytes, prefix.size() + own_name.size() + 1)) fail_repeating();
    const std::string name = prefix + std::string(own_name);
    const pickle::Value& value = items[i + 1];
    if (value.kind == pickle::Kind::kModule) {
      collect_module(reading, value.index(), name + ".", depth + 1);
    } else if (value.kind == pickle::Kind::kTensor) {
      collect_tensor(reading, value.index(), name);
    } else if (depth == 0) {
      if (!Reading::spend(reading.memory, kTableEntry + name.size())) fail_repeating();
      reading.attributes[name] = value;
    }
  }
}

void StageArchive::collect_tensor(Reading& reading, std::size_t tensor, const std::string& name) {
  const pickle::Tensor& where = reading.heap.tensors[tensor];
  const pickle::TensorStorage& storage = reading.heap.storages[where.storage];
  const std::size_t size = element_size(storage.type);
  if (size == 0) return;  // not a parameter, but a counter or similar
  if (!Reading::spend(reading.name_bytes, reading.folder.size() + storage.key.size())) fail_repeating();
  const auto file = reading.files.find(reading.folder + "data/" + std::string(storage.key));
  const pickle::Values& shape = reading.heap.sequences[where.shape];
  const std::optional<std::int64_t> count = row_major_count(shape, reading.heap.sequences[where.strides]);
  if (!count) fail("the elements of " + name + " do not lie row by row");
  const auto stored = file == reading.files.end() ? 0 : static_cast<std::int64_t>(file->second.size() / size);
  if (where.offset > stored || *count > stored - where.offset) fail("the weights of " + name + " are cut off");
  if (!Reading::spend(reading.element_bytes, static_cast<std::uint64_t>(*count) * size)) fail_repeating();
  const std::string_view bytes =
      file->second.substr(static_cast<std::size_t>(where.offset) * size, static_cast<std::size_t>(*count) * size);
  const bool in_place = storage.type == pickle::Global::kFloatStorage &&
                        reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(float) == 0;
  const std::uint64_t copied = in_place ? 0 : static_cast<std::uint64_t>(*count) * sizeof(float);
  const std::uint64_t entry = kTableEntry + name.size() + shape.size() * sizeof(std::int64_t);
  if (!Reading::spend(reading.memory, entry + copied)) fail_repeating();
  const std::span<const float> values =
      in_place ? std::span(reinterpret_cast<const float*>(bytes.data()), bytes.size() / sizeof(float))
               : std::span<const float>(converted_.emplace_back(converted(bytes, storage.type)));
  if (!all_finite(values)) fail("the weights of " + name + " are not finite");
  Parameter& parameter = parameters_[name];
  parameter = {{}, values};
  for (const pickle::Value& extent : shape) parameter.shape.push_back(extent.number);
}

void StageArchive::check_identity(const Reading& reading, int stage, Semantics semantics) const {
  const auto found_stage = reading.attributes.find("stage");
  const auto found_semantics = reading.attributes.find("semantics");
  if (found_stage == reading.attributes.end() || found_semantics == reading.attributes.end() ||
      found_stage->second.kind != pickle::Kind::kInteger || found_semantics->second.kind != pickle::Kind::kUnicode) {
    fail(fmt::format("not a module of this network; expected stage {} written by p2mpp-export", stage));
  }
  if (found_stage->second.number != stage) {
    fail(fmt::format("holds stage {}; expected stage {}", found_stage->second.number, stage));
  }
  const std::string_view named = reading.heap.texts[found_semantics->second.index()];
  if (named != to_string(semantics)) {
    fail(fmt::format("was exported for the semantics {}; expected {} (model.json)", named.substr(0, 40),
                     to_string(semantics)));
  }
}

const Parameter& StageArchive::get(const std::string& name, std::size_t dimensions) const {
  const auto found = parameters_.find(name);
  if (found == parameters_.end()) fail("there is no parameter " + name);
  if (found->second.shape.size() != dimensions) {
    fail(fmt::format("the parameter {} has {} dimensions; expected {}", name, found->second.shape.size(), dimensions));
  }
  return found->second;
}

void StageArchive::fail_repeating() const { fail("names the same modules or tensors again and again"); }

void StageArchive::fail(const std::string& what) const {
  throw InputError(fmt::format("{}: {}", path_.string(), what));
}

}  // namespace p2mpp
