#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hull/block_grid.h"
#include "hull/ray_walk.h"
#include "image/mask_view.h"

namespace p2mpp {

/// What is known of a grid's voxels: [active, 512] each.
struct VoxelFacts {
  const std::vector<float>& solid;          ///< share that is the object's: rays hit more than a half
  const std::vector<std::uint8_t>& usable;  ///< whether the voxel may be the object's
  const std::vector<float>& price;          ///< of making it the object's
  /// Whether photographs deny that it is the object's: then the rays of one mask alone do not require it. Empty: none.
  std::span<const std::uint8_t> denied = {};
};

/// Through a pixel's centre.
[[nodiscard]] GridRay ray_of_pixel(const BlockGrid& grid, const MaskView& view, std::size_t pixel);

/// Which rays count, and what they need.
struct RayRules {
  float least = 0;  ///< pixels from the mask's boundary, of the pixels that count: more than that
  float tie = 0;    ///< the voxels of a ray whose price is at most this above the cheapest one's are required, too
};

/// Finds the voxels that must be the object's, because rays of pixels that show it hit nothing: the cheapest usable one
/// of each ray. Sets `required` there to 1. Returns the number of rays that hit nothing although they could. The same
/// for every number of threads.
[[nodiscard]] std::size_t require_hits(const BlockGrid& grid, std::span<const MaskView> views, const VoxelFacts& facts,
                                       const RayRules& rules, int threads, std::vector<std::uint8_t>& required);

}  // namespace p2mpp
