#pragma once

#include "capture/silhouette.h"
#include "p2mpp/fit_mask.h"

namespace p2mpp {

/// A mask of the world as a silhouette whose source is the world. Its distances are exact to fractions of a pixel where
/// the mask is soft. Precondition: the camera has one focal length and its principal point in the middle, as those of
/// fit_mask_of() have; check_mask() passes and describe_problem() is empty.
[[nodiscard]] Silhouette silhouette_of(const FitMask& mask);

}  // namespace p2mpp
