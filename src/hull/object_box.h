#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>

#include "image/mask_view.h"

namespace p2mpp {

struct Box {
  Eigen::Vector3f lower, upper;
};

inline constexpr const char* kNothingInCommon =
    "the silhouettes have no point in common; expected masks of one object, and the cameras of their photographs";

/// The point nearest to the rays through the middles of the masks, robust against a wrong one; none if the cameras look
/// along one line.
[[nodiscard]] std::optional<Eigen::Vector3d> object_middle(std::span<const MaskView> views);

/// A box around the hull of masks, of which `allowance` may object: see HullVotes. Throws InputError if the cameras
/// look along one line, if the masks have no point in common, or if they do not enclose one.
[[nodiscard]] Box object_box(std::span<const MaskView> views, int allowance, int threads);

}  // namespace p2mpp
