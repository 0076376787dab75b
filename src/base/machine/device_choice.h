#pragma once

#include <string>
#include <string_view>

#include "p2mpp/device.h"

namespace p2mpp {

// Requirements of the CUDA kernels. Errors are one clause for the user. Versions are encoded as in CUDA: 13000
// for 13.0.

/// Throws Error if a driver cannot run code built with a CUDA toolkit: any driver of the same major version or newer
/// can (CUDA's minor version compatibility). `whose`: "p2mpp's kernels", "LibTorch".
void check_driver(int driver_version, int toolkit_version, std::string_view whose);

/// Throws Error if a GPU is too old for kernels whose oldest code is for this compute capability (80 for 8.0).
void check_gpu(const CudaDevice& gpu, int oldest_capability, std::string_view whose);

/// The device if CUDA cannot be used: for "auto" the CPU, with a note that contains the problem. Throws Error for
/// "cuda" and "cuda:N".
[[nodiscard]] DeviceChoice without_cuda(std::string_view asked_for, std::string_view problem);

/// "13.0"
[[nodiscard]] std::string cuda_version_text(int version);
/// "9.0"
[[nodiscard]] std::string capability_text(int compute_capability);

/// Resolves "auto", "cpu", "cuda" or "cuda:N". "auto" is the first CUDA device or, if none works, the CPU.
/// Throws UsageError for any other text, and Error if the named CUDA device is not available.
[[nodiscard]] DeviceChoice choose_device(std::string_view text);

}  // namespace p2mpp
