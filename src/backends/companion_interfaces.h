#pragma once

#include <memory>
#include <span>

#include "backends/backend.h"
#include "backends/common/finding.h"
#include "backends/distance_network.h"
#include "p2mpp/metrics.h"

namespace p2mpp {

/// Measured speed of a device; NaN where the measurement failed.
struct DeviceRates {
  double copied_gb_per_s = 0;      ///< 1e9 bytes per second; reads and writes both count
  double product_gflop_per_s = 0;  ///< large matrix product, 1e9 operations per second; a multiply-add counts as two
  double start_check_ms = 0;       ///< time of the self-check at an engine's start, of a model with the published sizes
};

/// The functions of libp2mpp_cuda.so, returned by the only symbol it exports. companion_library.h documents them.
struct CudaLibrary {
  void (*check_device)(int device_index);
  std::unique_ptr<Backend> (*make_backend)(const Model& model, const BackendOptions& options);
  Neighbours (*nearest_neighbours)(int device_index, std::span<const Eigen::Vector3f> queries,
                                   std::span<const Eigen::Vector3f> targets);
  std::vector<Finding> (*check_kernels)(int device_index, Precision precision);
  DeviceRates (*measure_rates)(int device_index, Precision precision);
};
inline constexpr const char* kCudaLibrarySymbol = "p2mpp_cuda_library";
using GetCudaLibrary = const CudaLibrary* (*)();

/// The functions of libp2mpp_torchscript.so, returned by the only symbol it exports. companion_library.h documents
/// them.
struct TorchscriptLibrary {
  std::unique_ptr<Backend> (*make_backend)(const Model& model, const BackendOptions& options);
  std::unique_ptr<DistanceNetwork> (*make_distance_network)(const Model& model, const BackendOptions& options);
  void (*check_cuda)(int device_index);
  double (*packed_gemm_gflops)(Precision precision, int threads);
};
inline constexpr const char* kTorchscriptLibrarySymbol = "p2mpp_torchscript_library";
using GetTorchscriptLibrary = const TorchscriptLibrary* (*)();

}  // namespace p2mpp
