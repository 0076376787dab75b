#include "backends/cuda_library.h"

#include "backends/companion_library.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

struct Loaded {
  const CudaLibrary* library = nullptr;
  std::string problem;
};

Loaded load() {
  const CompanionLibrary library = open_companion_library(P2MPP_CUDA_LIBRARY, kCudaLibrarySymbol);
  if (!library.is_there) {
    return {nullptr,
            "this p2mpp was built without CUDA kernels; building them needs a CUDA toolkit, and a "
            "GPU or -DP2MPP_CUDA_ARCHITECTURES=all"};
  }
  if (library.symbol == nullptr) {
    return {nullptr, "p2mpp's CUDA kernels cannot be loaded (" + library.problem + ")"};
  }
  return {reinterpret_cast<GetCudaLibrary>(library.symbol)(), {}};
}

const Loaded& loaded() {
  static const Loaded result = load();
  return result;
}

}  // namespace

std::string cuda_library_problem(int device_index) {
  return loaded().library != nullptr ? loaded().library->problem(device_index) : loaded().problem;
}

std::unique_ptr<Backend> make_cuda_backend(const Model& model, const BackendOptions& options) {
  if (loaded().library == nullptr) throw Error(loaded().problem);
  return loaded().library->make_backend(model, options);
}

Neighbours cuda_nearest_neighbours(int device_index, std::span<const Eigen::Vector3f> queries,
                                   std::span<const Eigen::Vector3f> targets) {
  if (loaded().library == nullptr) throw Error(loaded().problem);
  return loaded().library->nearest_neighbours(device_index, queries, targets);
}

std::vector<Finding> check_cuda_kernels(int device_index, Precision precision) {
  if (loaded().library == nullptr) throw Error(loaded().problem);
  return loaded().library->check(device_index, precision);
}

DeviceRates measure_cuda_rates(int device_index, Precision precision) {
  if (loaded().library == nullptr) throw Error(loaded().problem);
  return loaded().library->measure_rates(device_index, precision);
}

}  // namespace p2mpp
