#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "surface/block_grid.h"

namespace p2mpp {

/// A line through a grid. Positions count in voxels from the grid's lower corner.
struct GridRay {
  /// direction: of any length.
  GridRay(const BlockGrid& grid, const Eigen::Vector3f& from, const Eigen::Vector3f& direction);

  Eigen::Vector3f origin, along;  ///< unit length
  float begin, end;               ///< of its part in the grid
};

/// Calls visit(slot, voxel) along a ray until it returns true. slot: as in BlockGrid, never kEmpty. Returns whether it
/// did. Samples are less than a voxel apart.
template <class Visit>
bool walk(const BlockGrid& grid, const GridRay& ray, const Visit& visit) {
  constexpr float kStep = 0.7F, kBeyond = 0.02F;  // voxels
  float at = ray.begin + kBeyond;
  while (at < ray.end) {
    const Eigen::Vector3f point = ray.origin + at * ray.along;
    const Eigen::Vector3i voxel = point.array().floor().cast<int>();
    const Eigen::Vector3i place(voxel.x() >> 3, voxel.y() >> 3, voxel.z() >> 3);
    const std::int32_t slot = grid.slot(place);
    if (slot != BlockGrid::kEmpty && visit(slot, voxel)) return true;
    if (slot >= 0) {
      at += kStep;
      continue;
    }
    float leave = std::numeric_limits<float>::max();  // the block
    for (int axis = 0; axis < 3; ++axis) {
      const float slope = ray.along[axis];
      if (std::fabs(slope) < 1e-9F) continue;
      const auto face = static_cast<float>(kBlockSide * (place[axis] + (slope > 0 ? 1 : 0)));
      leave = std::min(leave, (face - ray.origin[axis]) / slope);
    }
    at = std::max(leave, at) + kBeyond;
  }
  return false;
}

}  // namespace p2mpp
