#pragma once

#include "p2mpp/engine.h"

namespace p2mpp {

inline constexpr int kCudaWarmupPasses = 15;
inline constexpr int kMaxBatch = 1024;
inline constexpr int kMaxThreads = 1024;
inline constexpr int kMaxWarmupPasses = 1000;

/// "auto" resolved for a device: tf32 on CUDA, fp32 on a CPU. Throws UsageError for what the device cannot do.
[[nodiscard]] Precision choose_precision(std::string_view text, Device device);

}  // namespace p2mpp
