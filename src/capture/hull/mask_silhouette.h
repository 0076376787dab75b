#pragma once

#include "capture/silhouette.h"
#include "p2mpp/fit_mask.h"

namespace p2mpp {

/// Converts a mask with its camera in the world frame to a silhouette whose source is the world. If the mask is soft,
/// distances are exact to fractions of a pixel. Preconditions: the camera has one focal length and its principal point
/// in the middle, like those of fit_mask_of(); check_mask() and check_shows_object() pass.
[[nodiscard]] Silhouette silhouette_of(const FitMask& mask);

}  // namespace p2mpp
