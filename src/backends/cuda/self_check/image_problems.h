#pragma once

#include <span>

#include "backends/cuda/arithmetic.h"
#include "backends/cuda/device_runtime.h"
#include "model/sampling_rules.h"
#include "p2mpp/sample.h"

namespace p2mpp {

/// The largest difference between preprocess() and the kernel, over both of its outputs (fp32 and the arithmetic's
/// element type) and, if there are masks, over their evidence. Must be 0.
[[nodiscard]] double preprocess_difference(DeviceRuntime& runtime, std::span<const Image> images,
                                           const ImageRules& rules, Arithmetic arithmetic);

}  // namespace p2mpp
