#include <map>
#include <mutex>

#include "backends/companion_interfaces.h"
#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/cuda_runtime.h"
#include "backends/cuda/nearest_neighbours.h"

namespace p2mpp {
namespace {

std::string problem_of(int device_index) {
  static std::map<int, std::string> known;
  const auto found = known.find(device_index);
  return found != known.end() ? found->second : known[device_index] = cuda_runtime_problem(device_index);
}

std::unique_ptr<Backend> make(const Model& model, const BackendOptions& options) {
  return std::make_unique<CudaBackend>(make_cuda_runtime(options.device.index), model, options.precision);
}

// Never destroyed: when static objects are, the CUDA runtime may be gone.
DeviceNeighbourSearches& searches_on(int device_index) {
  static std::mutex mutex;
  static auto& searches = *new std::map<int, DeviceNeighbourSearches>;
  const std::lock_guard lock(mutex);
  return searches.try_emplace(device_index, [device_index] { return make_cuda_runtime(device_index); }).first->second;
}

Neighbours find_nearest(int device_index, std::span<const Eigen::Vector3f> queries,
                        std::span<const Eigen::Vector3f> targets) {
  return searches_on(device_index).find(queries, targets);
}

}  // namespace
}  // namespace p2mpp

extern "C" const p2mpp::CudaLibrary* p2mpp_cuda_library() {
  static constexpr p2mpp::CudaLibrary kLibrary{
      .problem = p2mpp::problem_of, .make_backend = p2mpp::make, .nearest_neighbours = p2mpp::find_nearest};
  return &kLibrary;
}
