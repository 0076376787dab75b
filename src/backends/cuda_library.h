#pragma once

#include <memory>
#include <span>
#include <string>

#include "backends/companion_interfaces.h"
#include "p2mpp/metrics.h"

namespace p2mpp {

// What the layers above may ask of our own CUDA kernels. They are a library of their own, libp2mpp_cuda.so, beside the
// program or in its build folder; it is there where a CUDA toolkit was when p2mpp was built, and is loaded when a CUDA
// device is asked for.

/// Why the kernels cannot compute on a device (one clause), or nothing where they can. Asked once a process and device.
[[nodiscard]] std::string cuda_library_problem(int device_index);

/// `fused` on CUDA. Throws Error where the library cannot be used, and what make_backend() throws.
[[nodiscard]] std::unique_ptr<Backend> make_cuda_backend(const Model& model, const BackendOptions& options);

/// nearest_neighbours() on a device, to the same bits. Throws Error where that fails.
[[nodiscard]] Neighbours cuda_nearest_neighbours(int device_index, std::span<const Eigen::Vector3f> queries,
                                                 std::span<const Eigen::Vector3f> targets);

/// check_device_thoroughly() in a precision. Throws Error where the device cannot be used at all.
[[nodiscard]] std::vector<Finding> check_cuda_kernels(int device_index, Precision precision);

/// How fast it copies and multiplies. Throws Error where that fails.
[[nodiscard]] DeviceRates measure_cuda_rates(int device_index, Precision precision);

}  // namespace p2mpp
