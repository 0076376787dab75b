#pragma once

#include <cstddef>
#include <span>

#include "image/mask_view.h"
#include "surface/depth_maps.h"

namespace p2mpp {

/// Makes pixels of masks unknown that deny a surface on which photographs agree, so that a shadow or a piece that a
/// mask lacks does not cut through the object. A surface counts where at most `most` masks deny it. Returns the number
/// of masks that were changed. The same for every number of threads.
[[nodiscard]] std::size_t overrule_masks(std::span<const DepthMap> maps, std::size_t most, int threads,
                                         std::span<MaskView> views);

}  // namespace p2mpp
