#include "engine/engine_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "backend/backend.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

void check_range(std::string_view option, int value, int low, int high) {
  if (value < low || value > high) {
    throw UsageError(fmt::format("{} {}: out of range; expected {} to {}", option, value, low, high));
  }
}

}  // namespace

std::string_view to_string(Precision precision) { return precision == Precision::kTf32 ? "tf32" : "fp32"; }

std::span<const std::string_view> backend_names() { return registered_backends(); }

void EngineOptions::check() const {
  if (std::ranges::find(backend_names(), backend) == backend_names().end()) {
    throw UsageError(
        fmt::format("--backend {}: no such backend; expected {}", backend, fmt::join(backend_names(), ", ")));
  }
  if (precision != "auto" && precision != "fp32" && precision != "tf32") {
    throw UsageError(fmt::format("--precision {}: no such precision; expected auto, fp32 or tf32", precision));
  }
  check_range("--batch", batch, 1, kMaxBatch);
  check_range("--threads", threads, 0, kMaxThreads);
  check_range("--warmup", warmup, -1, kMaxWarmupPasses);
}

Precision choose_precision(std::string_view text, Device device) {
  const bool cuda = device.kind == DeviceKind::kCuda;
  if (text == "tf32" && !cuda) throw UsageError("--precision tf32: only a CUDA device has it; expected fp32 on a CPU");
  return cuda && text != "fp32" ? Precision::kTf32 : Precision::kFp32;
}

}  // namespace p2mpp
