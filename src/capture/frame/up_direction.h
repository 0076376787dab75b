#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>
#include <string>

#include "cameras/capture.h"

namespace p2mpp {

/// The plane through points by least squares.
struct FittedPlane {
  Eigen::Vector3d mean = Eigen::Vector3d::Zero();
  Eigen::Vector3d normal = Eigen::Vector3d::UnitY();    ///< of unit length, with either sign
  Eigen::Vector3d deviation = Eigen::Vector3d::Zero();  ///< standard deviations: across the plane, then along it
};

/// Precondition: there is a point.
[[nodiscard]] FittedPlane fit_plane(std::span<const Eigen::Vector3d> points);

/// The upward normal, of unit length, of the plane on which the object stands: the one with the most points of
/// structure from motion near the object. `up`: of unit length, about the same direction. None if there is no such
/// plane: it must have enough of the points and be wide, its normal must be within 25 degrees of `up`, all cameras and
/// nearly all points nearby must be above it. Deterministic. Thread-safe.
[[nodiscard]] std::optional<Eigen::Vector3d> ground_normal(const Capture& capture, const Eigen::Vector3d& up);

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
[[nodiscard]] UpDirection find_up(const Capture& capture);

}  // namespace p2mpp
