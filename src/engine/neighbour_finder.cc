#include "engine/neighbour_finder.h"

#include "backends/companion_library.h"

namespace p2mpp {

NeighbourFinder neighbour_finder(Device device) {
  if (device.kind == DeviceKind::kCpu) return {};
  check_cuda_device(device.index);
  return [index = device.index](std::span<const Eigen::Vector3f> queries, std::span<const Eigen::Vector3f> targets) {
    return cuda_nearest_neighbours(index, queries, targets);
  };
}

}  // namespace p2mpp
