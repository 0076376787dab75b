#include "hull/ray_walk.h"

namespace p2mpp {

GridRay::GridRay(const BlockGrid& grid, const Eigen::Vector3f& from, const Eigen::Vector3f& direction)
    : origin((from - grid.lower()) / grid.voxel()),
      along(direction.normalized()),
      begin(0),
      end(std::numeric_limits<float>::max()) {
  const Eigen::Vector3f size = kBlockSide * grid.counts().cast<float>();
  for (int axis = 0; axis < 3; ++axis) {
    const float slope = along[axis];
    if (std::fabs(slope) < 1e-9F) {
      if (origin[axis] < 0 || origin[axis] > size[axis]) end = -1;
      continue;
    }
    const float one = -origin[axis] / slope, other = (size[axis] - origin[axis]) / slope;
    begin = std::max(begin, std::min(one, other));
    end = std::min(end, std::max(one, other));
  }
}

}  // namespace p2mpp
