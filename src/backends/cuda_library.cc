#include "backends/cuda_library.h"

#include <fmt/format.h>

#include "backends/companion_library.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

const CudaLibrary* load_cuda_library() {
  if (!has_companion_library(P2MPP_CUDA_LIBRARY)) {
    throw Error(
        "this p2mpp was built without CUDA kernels; building them needs a CUDA toolkit, and a "
        "GPU or -DP2MPP_CUDA_ARCHITECTURES=all");
  }
  try {
    return reinterpret_cast<GetCudaLibrary>(open_companion_library(P2MPP_CUDA_LIBRARY, kCudaLibrarySymbol))();
  } catch (const Error& error) {
    throw Error(fmt::format("p2mpp's CUDA kernels cannot be loaded ({})", error.what()));
  }
}

/// Throws Error if it cannot be loaded.
const CudaLibrary& cuda_library() {
  static const CudaLibrary* const loaded = load_cuda_library();
  return *loaded;
}

}  // namespace

void check_cuda_device(int device_index) { cuda_library().check_device(device_index); }

std::unique_ptr<Backend> make_cuda_backend(const Model& model, const BackendOptions& options) {
  return cuda_library().make_backend(model, options);
}

Neighbours cuda_nearest_neighbours(int device_index, std::span<const Eigen::Vector3f> queries,
                                   std::span<const Eigen::Vector3f> targets) {
  return cuda_library().nearest_neighbours(device_index, queries, targets);
}

std::vector<Finding> check_cuda_kernels(int device_index, Precision precision) {
  return cuda_library().check_kernels(device_index, precision);
}

DeviceRates measure_cuda_rates(int device_index, Precision precision) {
  return cuda_library().measure_rates(device_index, precision);
}

}  // namespace p2mpp
