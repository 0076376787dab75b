#pragma once

#include <Eigen/Core>
#include <span>
#include <string>

#include "capture/capture.h"

namespace p2mpp {

struct UpDirection {
  Eigen::Vector3d direction = Eigen::Vector3d::UnitY();  ///< unit, in the source
  std::string origin;                                    ///< for messages: "the cameras' horizons"
};

/// The upward direction, found from how people hold cameras: the direction perpendicular to the cameras' x axes (their
/// y axes, if most photographs are portraits that were not turned upright), robust against cameras with a roll. If the
/// centres lie in one plane all around the object, the result is the plane's normal. The sign follows the cameras' own
/// up directions or, if these cancel out, the side from which the cameras look. Deterministic. Precondition: at least
/// one camera.
[[nodiscard]] UpDirection up_from_cameras(std::span<const Photograph> photographs);

}  // namespace p2mpp
