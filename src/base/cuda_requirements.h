#pragma once

#include <string>
#include <string_view>

#include "p2mpp/device.h"

namespace p2mpp {

// What kernels ask of a driver and of a GPU. Each answer is one clause for the user, empty where all is well. Versions
// are as CUDA counts them: 13000 for 13.0.

/// Whether a driver runs what was built with a CUDA toolkit: any driver of the same major version does, and every newer
/// one (CUDA's minor version compatibility). `whose`: "p2mpp's kernels", "LibTorch".
[[nodiscard]] std::string old_driver_problem(int driver_version, int toolkit_version, std::string_view whose);

/// Whether a GPU is too old for kernels whose oldest code is for this compute capability (80 for 8.0).
[[nodiscard]] std::string old_gpu_problem(const CudaDevice& gpu, int oldest_capability, std::string_view whose);

/// The device for "auto", "cuda" or "cuda:N" where CUDA cannot be used: the CPU for "auto", with a note that says why.
/// Throws Error for the others.
[[nodiscard]] DeviceChoice without_cuda(std::string_view asked_for, std::string_view problem);

/// "13.0"
[[nodiscard]] std::string cuda_version_text(int version);
/// "9.0"
[[nodiscard]] std::string capability_text(int compute_capability);

}  // namespace p2mpp
