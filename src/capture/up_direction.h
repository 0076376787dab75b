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

/// The direction that people held up: that to which the cameras' x axes are perpendicular (their y axes, if most are
/// portraits that were not turned upright), robust against cameras with a roll; the normal of the centres' plane, if
/// they lie in one all around. Its sign is that of the cameras' own up or, where those cancel, the side from which they
/// look. Deterministic; any number of cameras from 1.
[[nodiscard]] UpDirection up_from_cameras(std::span<const Photograph> photographs);

}  // namespace p2mpp
