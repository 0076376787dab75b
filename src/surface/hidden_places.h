#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hull/block_grid.h"
#include "image/mask_view.h"

namespace p2mpp {

/// The share of the cameras, of at most kMostAsked, from which the solid does not occlude each voxel, except right
/// beside it. solid: shares that are the object's, as in TotalVariation. asked: the voxels in question; of the others,
/// it is 1. [active, 512]. The same for every number of threads.
[[nodiscard]] std::vector<float> seeing_shares(const BlockGrid& grid, const std::vector<float>& solid,
                                               const std::vector<std::uint8_t>& asked, std::span<const MaskView> views,
                                               int threads);
inline constexpr std::size_t kMostAsked = 24;

}  // namespace p2mpp
