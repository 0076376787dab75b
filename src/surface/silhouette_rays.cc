#include "surface/silhouette_rays.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/parallel.h"
#include "surface/ray_walk.h"

namespace p2mpp {
namespace {

std::size_t index_of(std::int32_t slot, const Eigen::Vector3i& voxel) {
  return static_cast<std::size_t>(slot) * kBlockVoxels + BlockGrid::within(voxel);
}

/// Adds the voxels that a ray needs; false if there are none.
bool add_needed(const BlockGrid& grid, const GridRay& ray, const VoxelFacts& facts, float tie,
                std::vector<std::size_t>& needed) {
  constexpr float kNone = std::numeric_limits<float>::max();
  float least = kNone;
  walk(grid, ray, [&](std::int32_t slot, const Eigen::Vector3i& voxel) {
    const std::size_t index = slot < 0 ? 0 : index_of(slot, voxel);
    if (slot >= 0 && facts.usable[index] != 0) least = std::min(least, facts.price[index]);
    return false;
  });
  if (least == kNone) return false;
  walk(grid, ray, [&](std::int32_t slot, const Eigen::Vector3i& voxel) {
    if (slot < 0) return false;
    const std::size_t index = index_of(slot, voxel);
    if (facts.usable[index] != 0 && facts.price[index] <= least + tie) needed.push_back(index);
    return false;
  });
  return true;
}

}  // namespace

std::size_t require_hits(const BlockGrid& grid, std::span<const MaskCone> cones, const VoxelFacts& facts, float least,
                         float tie, int threads, std::vector<std::uint8_t>& required) {
  std::vector<std::size_t> missed(cones.size());
  std::vector<std::vector<std::size_t>> needed(cones.size());
  for_each_task(cones.size(), threads, [&](std::size_t i) {
    const MaskCone& cone = cones[i];
    for (int row = 0; row < cone.size(); ++row) {
      for (int column = 0; column < cone.size(); ++column) {
        if (!(cone.distance(row, column) > least)) continue;
        const GridRay ray(grid, cone.centre(), cone.ray(row, column));
        const bool hits = walk(grid, ray, [&](std::int32_t slot, const Eigen::Vector3i& voxel) {
          return slot < 0 || facts.solid[index_of(slot, voxel)] > 0.5F;
        });
        if (!hits && add_needed(grid, ray, facts, tie, needed[i])) ++missed[i];
      }
    }
  });
  for (const std::vector<std::size_t>& of_mask : needed) {
    for (const std::size_t index : of_mask) required[index] = 1;
  }
  return std::accumulate(missed.begin(), missed.end(), std::size_t{0});
}

}  // namespace p2mpp
