#pragma once

#include <cstddef>
#include <span>

#include "hull/object_box.h"
#include "image/mask_view.h"

namespace p2mpp {

/// The number of masks that should be allowed to object: the one with which the hull's silhouettes agree best with the
/// masks, away from their boundaries. `box`: around the hull with the largest number.
[[nodiscard]] int best_allowance(std::span<const MaskView> views, const Box& box, int threads);

/// The largest number of masks that best_allowance() returns: about a twelfth of them.
[[nodiscard]] int most_allowance(std::size_t masks);

}  // namespace p2mpp
