#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hull/block_grid.h"
#include "image/mask_view.h"

namespace p2mpp {

inline constexpr float kMissingRadius = 1.5F;  ///< voxels: of what stands for a missing voxel

/// What is known of a grid's voxels: [active, 512] each.
struct LearnedVoxels {
  std::span<const float> distances;      ///< to the solid, in voxels, positive outside
  std::span<const std::uint8_t> usable;  ///< whether the voxel may be the object's
};

/// Finds voxels that the solid lacks, because rays of the masks' pixels hit nothing. Missing are connected pixels of
/// which one is more than two pixels from those that hit, or which separate such pixels, or which only such pixels
/// surround: what an outline is off by is no missing part. The voxels of neighbouring pixels form a surface: they lie
/// near the solid and side by side. Masks follow one another, those that miss most first, so that they agree on one
/// surface. Returns 1 for these voxels. The same for every number of threads.
[[nodiscard]] std::vector<std::uint8_t> missing_surface(const BlockGrid& grid, std::span<const MaskView> views,
                                                        const LearnedVoxels& voxels, int threads);

}  // namespace p2mpp
