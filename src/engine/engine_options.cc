#include "engine/engine_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "backends/registry.h"
#include "base/machine/device_choice.h"
#include "base/machine/instruction_set.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr std::array kPrecisions = {Precision::kFp32, Precision::kTf32, Precision::kBf16x3,
                                    Precision::kBf16, Precision::kFp16, Precision::kFp8};

void check_choice(std::string_view kind, std::string_view value, const std::vector<std::string>& choices) {
  if (std::ranges::find(choices, value) != choices.end()) return;
  throw UsageError(fmt::format("{} {}: no such {}; expected {}", kind, value, kind, fmt::join(choices, ", ")));
}

void check_range(std::string_view option, int value, int low, int high, std::string_view meaning = {}) {
  if (value < low || value > high) {
    throw UsageError(fmt::format("{} {}: out of range; expected {} to {}{}", option, value, low, high, meaning));
  }
}

// The backends that match `text` and support this device and precision.
std::vector<std::string_view> find_backends(std::string_view text, Device device, Precision precision) {
  std::vector<std::string_view> found;
  std::ranges::copy_if(backend_names(), std::back_inserter(found), [&](std::string_view name) {
    return (text == kAuto || text == name) && backend_computes(name, device, precision);
  });
  return found;
}

// The precisions that `backend` supports on a device; for "auto", those that any backend supports.
std::vector<std::string_view> list_precisions(std::string_view backend, Device device) {
  std::vector<std::string_view> names;
  for (const Precision precision : kPrecisions) {
    if (!find_backends(backend, device, precision).empty()) names.push_back(to_string(precision));
  }
  return names;
}

}  // namespace

std::string_view to_string(Precision precision) {
  constexpr std::array<std::string_view, 6> kNames = {"fp32", "tf32", "bf16x3", "bf16", "fp16", "fp8"};
  return kNames[static_cast<std::size_t>(precision)];
}

std::span<const Precision> all_precisions() { return kPrecisions; }

std::span<const std::string_view> backend_names() { return registered_backends(); }

std::vector<std::string> backend_choices() {
  std::vector<std::string> choices = {std::string(kAuto)};
  choices.insert(choices.end(), backend_names().begin(), backend_names().end());
  return choices;
}

std::vector<std::string> precision_choices() {
  std::vector<std::string> choices = {std::string(kAuto)};
  for (const Precision precision : kPrecisions) choices.emplace_back(to_string(precision));
  return choices;
}

void EngineOptions::check() const {
  check_choice("backend", backend, backend_choices());
  check_choice("precision", precision, precision_choices());
  static_cast<void>(choose_instruction_set(instruction_set));
  static_assert(kAutoBatch == 0);
  check_range("batch", batch, kAutoBatch, kMaxBatch, " (0: measured)");
  if (!(memory_share > 0 && memory_share <= 1)) {
    throw UsageError(
        fmt::format("memory_share {:g}: out of range; expected a number above 0 and up to 1", memory_share));
  }
  check_range("threads", threads, 0, kMaxThreads);
  check_range("warmup", warmup, -1, kMaxWarmupPasses);
}

Precision choose_precision(std::string_view text, Device device) {
  check_choice("precision", text, precision_choices());
  const bool cuda = device.kind == DeviceKind::kCuda;
  if (text == kAuto) return cuda ? Precision::kTf32 : Precision::kFp32;
  const Precision precision = *std::ranges::find(kPrecisions, text, [](Precision each) { return to_string(each); });
  if (!cuda && find_backends(kAuto, device, precision).empty()) {
    throw UsageError(
        fmt::format("precision {}: only CUDA devices support it; expected fp32, bf16x3 or bf16 on a CPU", text));
  }
  return precision;
}

Precision choose_precision(const EngineOptions& options, Device device) {
  const bool may_round = options.precision == kAuto && !options.exact && device.kind == DeviceKind::kCpu &&
                         !find_backends(options.backend, device, Precision::kBf16).empty();
  if (may_round && bf16_speed(choose_instruction_set(options, Precision::kBf16)).is_faster) return Precision::kBf16;
  return choose_precision(options.precision, device);
}

InstructionSet choose_instruction_set(const EngineOptions& options, Precision precision) {
  const bool halves = precision == Precision::kBf16 || precision == Precision::kBf16x3;
  return choose_instruction_set(options.instruction_set, halves ? Products::kBf16 : Products::kFp32);
}

std::vector<std::string_view> choose_backends(std::string_view text, Device device, Precision precision) {
  check_choice("backend", text, backend_choices());
  std::vector<std::string_view> names = find_backends(text, device, precision);
  if (!names.empty()) return names;
  const std::vector<std::string_view> computed = list_precisions(text, device);
  if (computed.empty()) throw UsageError(fmt::format("backend {}: does not compute on {}", text, to_string(device)));
  const std::string who =
      text == kAuto ? "no backend supports it" : fmt::format("the backend {} does not support it", text);
  throw UsageError(fmt::format("precision {}: {} on {}; expected {}", to_string(precision), who, to_string(device),
                               fmt::join(computed, ", ")));
}

std::string_view choose_backend(std::string_view text, Device device, Precision precision) {
  return choose_backends(text, device, precision).front();
}

DeviceChoice choose_computing_device(std::string_view text) {
  DeviceChoice choice = choose_device(text);
  try {
    check_backends(choice.device);
    return choice;
  } catch (const Error& error) {
    return without_cuda(text, error.what());
  }
}

int warmup_passes(const EngineOptions& options, Device device) {
  if (options.warmup >= 0) return options.warmup;
  return device.kind == DeviceKind::kCuda ? kCudaWarmupPasses : 0;
}

}  // namespace p2mpp
