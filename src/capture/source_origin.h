#pragma once

#include <Eigen/Core>

#include "capture/capture.h"

namespace p2mpp {

/// A point near the cameras if they are far from the source's origin, as map coordinates are, otherwise zero. Around
/// it, distances do not lose digits to coordinates. Precondition: finite poses.
[[nodiscard]] Eigen::Vector3d far_origin(const Capture& capture);

/// Moves cameras and points, so that `origin` becomes zero.
void move_origin(Capture& capture, const Eigen::Vector3d& origin);

}  // namespace p2mpp
