#include "surface/silhouette_rays.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/parallel.h"

namespace p2mpp {
namespace {

bool is_solid(float share) { return share > 0.5F; }

/// Adds the voxels that a ray needs, of those that may be required; false if there are none.
template <class MayBeRequired>
bool add_needed(const BlockGrid& grid, const GridRay& ray, const VoxelFacts& facts, float tie,
                const MayBeRequired& may_be_required, std::vector<std::size_t>& needed) {
  constexpr float kNone = std::numeric_limits<float>::max();
  float least = kNone;
  walk(grid, ray, [&](std::int32_t slot, const Eigen::Vector3i& voxel) {
    const std::size_t index = slot < 0 ? 0 : BlockGrid::index_of(slot, voxel);
    if (slot >= 0 && facts.usable[index] != 0) least = std::min(least, facts.price[index]);
    return false;
  });
  if (least == kNone) return false;
  const std::size_t before = needed.size();
  walk(grid, ray, [&](std::int32_t slot, const Eigen::Vector3i& voxel) {
    if (slot < 0) return false;
    const std::size_t index = BlockGrid::index_of(slot, voxel);
    if (facts.usable[index] != 0 && facts.price[index] <= least + tie && may_be_required(index))
      needed.push_back(index);
    return false;
  });
  return needed.size() > before;
}

/// By slot, whether a block has a solid voxel.
std::vector<std::uint8_t> blocks_with_solid(const BlockGrid& grid, std::span<const float> solid, int threads) {
  std::vector<std::uint8_t> found(grid.active());
  for_each_task(grid.active(), threads, [&](std::size_t slot) {
    found[slot] = std::ranges::any_of(solid.subspan(slot * kBlockVoxels, kBlockVoxels), is_solid) ? 1 : 0;
  });
  return found;
}

/// Of a pixel. kAside: it does not show the object, or does not count.
enum class RayState : std::uint8_t { kAside, kHit, kMissed };

/// The rays of a mask's pixels. has_solid: of blocks, by their slot.
std::vector<RayState> list_rays(const BlockGrid& grid, const MaskView& view, const VoxelFacts& facts,
                                const RayRules& rules, const std::vector<std::uint8_t>& has_solid) {
  const auto is_dull = [&](std::int32_t slot) { return has_solid[static_cast<std::size_t>(slot)] == 0; };
  const auto is_hit = [&](std::int32_t slot, const Eigen::Vector3i& voxel) {
    return slot < 0 || is_solid(facts.solid[BlockGrid::index_of(slot, voxel)]);
  };
  std::vector<RayState> rays(static_cast<std::size_t>(view.width) * static_cast<std::size_t>(view.width),
                             RayState::kAside);
  for (std::size_t pixel = 0; pixel < rays.size(); ++pixel) {
    const int row = static_cast<int>(pixel) / view.width, column = static_cast<int>(pixel) % view.width;
    if (view.distance(row, column) <= rules.least || !view.is_known(row, column)) continue;
    rays[pixel] = walk(grid, ray_of_pixel(grid, view, pixel), is_hit, is_dull) ? RayState::kHit : RayState::kMissed;
  }
  return rays;
}

/// Whether a mask's ray that should hit the object passes a place and misses.
bool misses_at(const MaskView& view, const std::vector<RayState>& rays, const Eigen::Vector3f& place) {
  const std::optional<std::size_t> pixel = view.float_camera().index_of(place, view.width);
  return pixel && rays[*pixel] == RayState::kMissed;
}

}  // namespace

GridRay ray_of_pixel(const BlockGrid& grid, const MaskView& view, std::size_t pixel) {
  return {grid, view.float_camera().centre,
          view.ray(static_cast<int>(pixel) / view.width, static_cast<int>(pixel) % view.width)};
}

std::size_t require_hits(const BlockGrid& grid, std::span<const MaskView> views, const VoxelFacts& facts,
                         const RayRules& rules, int threads, std::vector<std::uint8_t>& required) {
  const std::vector<std::uint8_t> has_solid = blocks_with_solid(grid, facts.solid, threads);
  std::vector<std::vector<RayState>> rays(views.size());
  for_each_task(views.size(), threads,
                [&](std::size_t i) { rays[i] = list_rays(grid, views[i], facts, rules, has_solid); });
  std::vector<std::size_t> missed(views.size());
  std::vector<std::vector<std::size_t>> needed(views.size());
  for_each_task(views.size(), threads, [&](std::size_t i) {
    const auto may_be_required = [&](std::size_t index) {
      if (facts.denied.empty() || facts.denied[index] == 0) return true;
      const Eigen::Vector3f place = grid.centre(index);
      for (std::size_t other = 0; other < views.size(); ++other) {
        if (other != i && misses_at(views[other], rays[other], place)) return true;
      }
      return false;
    };
    for (std::size_t pixel = 0; pixel < rays[i].size(); ++pixel) {
      if (rays[i][pixel] != RayState::kMissed) continue;
      const GridRay ray = ray_of_pixel(grid, views[i], pixel);
      if (add_needed(grid, ray, facts, rules.tie, may_be_required, needed[i])) ++missed[i];
    }
  });
  for (const std::vector<std::size_t>& of_mask : needed) {
    for (const std::size_t index : of_mask) required[index] = 1;
  }
  return std::accumulate(missed.begin(), missed.end(), std::size_t{0});
}

}  // namespace p2mpp
