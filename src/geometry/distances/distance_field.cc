#include "geometry/distances/distance_field.h"

#include <algorithm>
#include <cmath>

namespace p2mpp {

VoxelCorners::VoxelCorners(const Eigen::Vector3i& counts, const Eigen::Vector3f& place) {
  int near[3], far[3];
  float share[3];
  for (int axis = 0; axis < 3; ++axis) {
    const float at = std::clamp(place[axis] - 0.5F, 0.0F, static_cast<float>(counts[axis] - 1));
    near[axis] = static_cast<int>(at);
    far[axis] = std::min(near[axis] + 1, counts[axis] - 1);
    share[axis] = at - static_cast<float>(near[axis]);
  }
  for (int corner = 0; corner < 8; ++corner) {
    std::size_t voxel = 0;
    weight[corner] = 1;
    for (int axis = 0; axis < 3; ++axis) {
      const bool is_far = (corner >> axis & 1) != 0;
      voxel =
          voxel * static_cast<std::size_t>(counts[axis]) + static_cast<std::size_t>(is_far ? far[axis] : near[axis]);
      weight[corner] *= is_far ? share[axis] : 1 - share[axis];
    }
    index[corner] = voxel;
  }
}

DistanceField::Value DistanceField::at(const Eigen::Vector3f& point) const {
  const Eigen::Vector3d placed = frame_from_world * point.cast<double>();
  const Eigen::Vector3d inside = placed.cwiseMax(grid.lower).cwiseMin(grid.upper());
  const VoxelCorners corners(grid.counts, ((placed - grid.lower) / grid.voxel).cast<float>());
  Value value{static_cast<float>((placed - inside).norm()), 0};
  for (int corner = 0; corner < 8; ++corner) {
    value.distance += corners.weight[corner] * distances[corners.index[corner]];
    value.error += corners.weight[corner] * errors[corners.index[corner]];
  }
  return value;
}

}  // namespace p2mpp
