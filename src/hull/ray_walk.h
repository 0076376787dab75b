#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "hull/block_grid.h"

namespace p2mpp {

/// A line through a grid. Positions count in voxels from the grid's lower corner.
struct GridRay {
  /// direction: of any length.
  GridRay(const BlockGrid& grid, const Eigen::Vector3f& from, const Eigen::Vector3f& direction)
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

  Eigen::Vector3f origin, along;  ///< unit length
  float begin, end;               ///< of its part in the grid
};

/// Where a ray leaves a cube, whose place counts in sides from the grid's lower corner. side: in voxels.
inline float end_of_cube(const GridRay& ray, const Eigen::Vector3i& place, int side) {
  float leave = std::numeric_limits<float>::max();
  for (int axis = 0; axis < 3; ++axis) {
    const float slope = ray.along[axis];
    if (std::fabs(slope) < 1e-9F) continue;
    const auto face = static_cast<float>(side * (place[axis] + (slope > 0 ? 1 : 0)));
    leave = std::min(leave, (face - ray.origin[axis]) / slope);
  }
  return leave;
}

/// Calls visit(slot, voxel) along a ray until it returns true. slot: as in BlockGrid, never kEmpty. Returns whether it
/// did. Samples are less than a voxel apart. Those in active blocks for which is_dull(slot) are left out.
template <class Visit, class IsDull>
bool walk(const BlockGrid& grid, const GridRay& ray, const Visit& visit, const IsDull& is_dull) {
  constexpr float kStep = 0.7F, kBeyond = 0.02F;  // voxels
  float at = ray.begin + kBeyond;
  while (at < ray.end) {
    const Eigen::Vector3f point = ray.origin + at * ray.along;
    const Eigen::Vector3i voxel = point.array().floor().cast<int>();
    const Eigen::Vector3i place(voxel.x() >> 3, voxel.y() >> 3, voxel.z() >> 3);
    const std::int32_t slot = grid.slot(place);
    const bool is_active = slot >= 0, skips = is_active && is_dull(slot);
    if (slot != BlockGrid::kEmpty && !skips && visit(slot, voxel)) return true;
    if (is_active && !skips) {
      at += kStep;
      continue;
    }
    const bool is_far = slot == BlockGrid::kEmpty && grid.is_in_empty_group(place);
    const float leave =
        is_far ? end_of_cube(ray, place / kGroupSide, kGroupSide * kBlockSide) : end_of_cube(ray, place, kBlockSide);
    if (!skips) {
      at = std::max(leave, at) + kBeyond;
      continue;
    }
    do at += kStep;  // the same samples as without skipping
    while (at < leave - kBeyond);
  }
  return false;
}

template <class Visit>
bool walk(const BlockGrid& grid, const GridRay& ray, const Visit& visit) {
  return walk(grid, ray, visit, [](std::int32_t) { return false; });
}

}  // namespace p2mpp
