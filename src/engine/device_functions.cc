#include "engine/device_functions.h"

#include <limits>

#include "backends/companion_library.h"

namespace p2mpp {

double measure_gemm_gflops(const Engine& engine) {
  const bool cpu = engine.device().device.kind == DeviceKind::kCpu;
  return cpu ? packed_gemm_gflops(engine.precision(), engine.threads()) : std::numeric_limits<double>::quiet_NaN();
}

NeighbourFinder neighbour_finder(Device device) {
  if (device.kind == DeviceKind::kCpu) return {};
  check_cuda_device(device.index);
  return [index = device.index](std::span<const Eigen::Vector3f> queries, std::span<const Eigen::Vector3f> targets) {
    return cuda_nearest_neighbours(index, queries, targets);
  };
}

}  // namespace p2mpp
