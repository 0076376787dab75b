#pragma once

#include <memory>
#include <string>

#include "backends/cuda/device_runtime.h"

namespace p2mpp {

/// Throws Error (one clause) if the kernels cannot run on a device. Checks that the driver and the GPU are new enough,
/// then runs a kernel and checks its result.
void check_cuda_runtime(int device_index);

/// A device through the CUDA runtime API. Throws Error if a CUDA call fails.
[[nodiscard]] std::unique_ptr<DeviceRuntime> make_cuda_runtime(int device_index);

}  // namespace p2mpp
