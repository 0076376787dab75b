#pragma once

#include <string>
#include <string_view>

#include "p2mpp/device.h"

namespace p2mpp {

// Requirements of the CUDA kernels. Each function returns the problem as one clause for the user, or an empty string.
// Versions are encoded as in CUDA: 13000 for 13.0.

/// Checks whether a driver can run code built with a CUDA toolkit: any driver of the same major version or newer can
/// (CUDA's minor version compatibility). `whose`: "p2mpp's kernels", "LibTorch".
[[nodiscard]] std::string old_driver_problem(int driver_version, int toolkit_version, std::string_view whose);

/// Checks whether a GPU is too old for kernels whose oldest code is for this compute capability (80 for 8.0).
[[nodiscard]] std::string old_gpu_problem(const CudaDevice& gpu, int oldest_capability, std::string_view whose);

/// The device if CUDA cannot be used: for "auto" the CPU, with a note that contains the problem. Throws Error for
/// "cuda" and "cuda:N".
[[nodiscard]] DeviceChoice without_cuda(std::string_view asked_for, std::string_view problem);

/// "13.0"
[[nodiscard]] std::string cuda_version_text(int version);
/// "9.0"
[[nodiscard]] std::string capability_text(int compute_capability);

}  // namespace p2mpp
