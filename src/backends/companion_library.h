#pragma once

#include <memory>
#include <span>
#include <string>

#include "backends/companion_interfaces.h"
#include "p2mpp/metrics.h"

namespace p2mpp {

// The interface of LibTorch for the layers above. libp2mpp_torchscript.so, beside the program or in its build folder,
// is loaded when first needed. A prediction with the fused backend does not load it and starts a quarter of a second
// sooner.

/// The version of LibTorch that this program was built with, such as "2.11.0", or "none". Does not load LibTorch.
[[nodiscard]] std::string libtorch_version_text();

/// Throws Error (one clause) if LibTorch cannot compute on a device. Loads LibTorch (with its CUDA part for a CUDA
/// device) and runs a small computation on the device, once per process.
void check_libtorch(Device device);

/// The reference backend: runs the TorchScript modules' own methods on a CPU or a CUDA device. Throws Error if LibTorch
/// cannot be loaded; otherwise throws as make_backend() does.
[[nodiscard]] std::unique_ptr<Backend> make_torchscript_backend(const Model& model, const BackendOptions& options);

/// The distance network as the reference computes it, on a CPU or a CUDA device. Throws as make_torchscript_backend().
[[nodiscard]] std::unique_ptr<DistanceNetwork> make_torchscript_distance_network(const Model& model,
                                                                                 const BackendOptions& options);

/// True for fp32, and for tf32 on CUDA.
[[nodiscard]] bool torchscript_computes(Device device, Precision precision);

/// This CPU's matrix multiplication rate (backends/torchscript/library.h). NaN also if LibTorch cannot be loaded.
[[nodiscard]] double packed_gemm_gflops(Precision precision, int threads);

// The interface of our CUDA kernels for the layers above. The kernels are in libp2mpp_cuda.so, beside the program or in
// its build folder. The library is built if a CUDA toolkit is found, and loaded when a CUDA device is first requested.

/// Throws Error (one clause) if the kernels cannot run on a device. A device that passes is checked once per process.
void check_cuda_device(int device_index);

/// The `fused` backend on CUDA. Throws Error if the library cannot be used; otherwise throws as make_backend() does.
[[nodiscard]] std::unique_ptr<Backend> make_cuda_backend(const Model& model, const BackendOptions& options);

/// nearest_neighbours() on a device, with bit-identical results. Throws Error on failure.
[[nodiscard]] Neighbours cuda_nearest_neighbours(int device_index, std::span<const Eigen::Vector3f> queries,
                                                 std::span<const Eigen::Vector3f> targets);

/// Runs check_device_thoroughly() in one precision. Throws Error if the device cannot be used at all.
[[nodiscard]] std::vector<Finding> check_cuda_kernels(int device_index, Precision precision);

/// Measures the device's memory bandwidth and matrix multiplication rate. Throws Error on failure.
[[nodiscard]] DeviceRates measure_cuda_rates(int device_index, Precision precision);

}  // namespace p2mpp
