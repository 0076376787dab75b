#include "surface/silhouette_rays.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/parallel.h"
#include "hull/ray_walk.h"

namespace p2mpp {
namespace {

bool is_solid(float share) { return share > 0.5F; }

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

/// By slot, whether a block has a solid voxel.
std::vector<std::uint8_t> blocks_with_solid(const BlockGrid& grid, std::span<const float> solid, int threads) {
  std::vector<std::uint8_t> found(grid.active());
  for_each_task(grid.active(), threads, [&](std::size_t slot) {
    found[slot] = std::ranges::any_of(solid.subspan(slot * kBlockVoxels, kBlockVoxels), is_solid) ? 1 : 0;
  });
  return found;
}

}  // namespace

std::size_t require_hits(const BlockGrid& grid, std::span<const MaskView> views, const VoxelFacts& facts, float least,
                         float tie, int threads, std::vector<std::uint8_t>& required) {
  const std::vector<std::uint8_t> has_solid = blocks_with_solid(grid, facts.solid, threads);
  const auto is_dull = [&](std::int32_t slot) { return has_solid[static_cast<std::size_t>(slot)] == 0; };
  std::vector<std::size_t> missed(views.size());
  std::vector<std::vector<std::size_t>> needed(views.size());
  for_each_task(views.size(), threads, [&](std::size_t i) {
    const MaskView& view = views[i];
    for (int row = 0; row < view.width; ++row) {
      for (int column = 0; column < view.width; ++column) {
        if (!(view.distance(row, column) > least) || !view.is_known(row, column)) continue;
        const GridRay ray(grid, view.float_camera().centre, view.ray(row, column));
        const auto is_hit = [&](std::int32_t slot, const Eigen::Vector3i& voxel) {
          return slot < 0 || is_solid(facts.solid[index_of(slot, voxel)]);
        };
        const bool hits = walk(grid, ray, is_hit, is_dull);
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
