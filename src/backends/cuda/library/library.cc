#include <map>
#include <mutex>
#include <set>

#include "backends/companion_interfaces.h"
#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/device_runtime.h"
#include "backends/cuda/library/build_identity.h"
#include "backends/cuda/nearest_neighbours.h"
#include "backends/cuda/self_check/device_check.h"
#include "backends/cuda/self_check/measured_rates.h"
#include "model/model.h"
#include "p2mpp/export.h"

namespace p2mpp {
namespace {

void check_device_once(int device_index) {
  static std::mutex mutex;
  static std::set<int> passed;
  const std::lock_guard lock(mutex);
  if (passed.contains(device_index)) return;
  check_cuda_runtime(device_index);
  passed.insert(device_index);
}

DeviceCheckSizes model_sizes(const ModelInfo& info) {
  const NetworkSizes& sizes = info.sizes;
  return {.views = trained_view_count(info),
          .hypotheses = static_cast<std::size_t>(sizes.hypotheses),
          .hidden = static_cast<std::size_t>(sizes.hidden),
          .reasoning_hidden = static_cast<std::size_t>(sizes.drb_hidden),
          .reasoning_layers = static_cast<std::size_t>(sizes.drb_layers),
          .reasoning_rules = stage2_rules(info.semantics)};
}

// The backend is created first because it reports models that it does not support.
std::unique_ptr<Backend> make(const Model& model, const BackendOptions& options) {
  auto backend = std::make_unique<CudaBackend>(make_cuda_runtime(options.device.index), model, options.precision);
  const std::unique_ptr<DeviceRuntime> runtime = make_cuda_runtime(options.device.index);
  check_before_use(*runtime, build_identity(), options.precision, model_sizes(model.info),
                   PassedChecks(PassedChecks::user_folder()));
  return backend;
}

// Never destroyed: the CUDA runtime may be gone when static objects are destroyed.
DeviceNeighbourSearches& searches_on(int device_index) {
  static std::mutex mutex;
  static auto& searches = *new std::map<int, DeviceNeighbourSearches>;
  const std::lock_guard lock(mutex);
  return searches.try_emplace(device_index, [device_index] { return make_cuda_runtime(device_index); }).first->second;
}

Neighbours find_nearest_on(int device_index, std::span<const Eigen::Vector3f> queries,
                           std::span<const Eigen::Vector3f> targets) {
  return searches_on(device_index).find(queries, targets);
}

std::vector<Finding> check_kernels(int device_index, Precision precision) {
  const std::unique_ptr<DeviceRuntime> runtime = make_cuda_runtime(device_index);
  runtime->use();
  return check_device_thoroughly(*runtime, precision);
}

DeviceRates rates(int device_index, Precision precision) {
  const std::unique_ptr<DeviceRuntime> runtime = make_cuda_runtime(device_index);
  runtime->use();
  return measure_rates(*runtime, precision);
}

}  // namespace
}  // namespace p2mpp

extern "C" P2MPP_EXPORT const p2mpp::CudaLibrary* p2mpp_cuda_library() {
  static constexpr p2mpp::CudaLibrary kLibrary{.check_device = p2mpp::check_device_once,
                                               .make_backend = p2mpp::make,
                                               .nearest_neighbours = p2mpp::find_nearest_on,
                                               .check_kernels = p2mpp::check_kernels,
                                               .measure_rates = p2mpp::rates};
  return &kLibrary;
}
