#pragma once

#include <memory>
#include <string>

#include "backends/cuda/device_runtime.h"

namespace p2mpp {

/// Why the kernels cannot run on a device (one clause), or nothing where they can: driver and GPU are new enough, and
/// they compute a number.
[[nodiscard]] std::string cuda_runtime_problem(int device_index);

/// A CUDA device through the CUDA runtime. Throws Error with cuda_runtime_problem().
[[nodiscard]] std::unique_ptr<DeviceRuntime> make_cuda_runtime(int device_index);

}  // namespace p2mpp
