#pragma once

#include <Eigen/Core>
#include <span>

#include "image/mask_view.h"

namespace p2mpp {

struct Box {
  Eigen::Vector3f lower, upper;
};

/// A box around the hull of masks, of which `allowance` may object: see HullVotes. Throws InputError if the cameras
/// look along one line, if the masks have no point in common, or if they do not enclose one.
[[nodiscard]] Box object_box(std::span<const MaskView> views, int allowance, int threads);

}  // namespace p2mpp
