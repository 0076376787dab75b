#include "engine/neighbour_finder.h"

#include "backends/cuda_library.h"
#include "p2mpp/error.h"

namespace p2mpp {

NeighbourFinder neighbour_finder(Device device) {
  if (device.kind == DeviceKind::kCpu) return {};
  if (const std::string problem = cuda_library_problem(device.index); !problem.empty()) throw Error(problem);
  return [index = device.index](std::span<const Eigen::Vector3f> queries, std::span<const Eigen::Vector3f> targets) {
    return cuda_nearest_neighbours(index, queries, targets);
  };
}

}  // namespace p2mpp
