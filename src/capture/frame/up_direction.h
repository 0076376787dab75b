#pragma once

#include <Eigen/Core>
#include <span>
#include <string>

#include "cameras/capture.h"

namespace p2mpp {

struct UpDirection {
  Eigen::Vector3d direction = Eigen::Vector3d::UnitY();  ///< unit, in the source
  std::string origin;                                    ///< for messages: "the cameras' horizons"
  std::string doubt = {};                                ///< set if the capture says another direction than its cameras
};

/// The upward direction, found from how people hold cameras: the direction perpendicular to the cameras' x axes or, if
/// the photographs are stored sideways, to their y axes, robust against cameras with a roll. Of the two, the one to
/// which the axes are more exactly perpendicular. If the centres lie in one plane all around the object, the result is
/// the plane's normal. The sign follows the cameras' own up directions or, for photographs that are stored sideways,
/// the side from which the cameras look. Deterministic. Precondition: at least one camera.
[[nodiscard]] UpDirection up_from_cameras(std::span<const Photograph> photographs);

/// The upward direction of a capture: what it says, unless its cameras contradict that more clearly. The doubt names
/// both. A direction that was measured (gravity) is always kept. If the capture has points of a ground plane, its
/// normal stands for the cameras' direction: it is more exact, above all with few photographs.
[[nodiscard]] UpDirection up_of(const Capture& capture);

}  // namespace p2mpp
