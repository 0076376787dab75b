#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>

#include "capture/capture.h"

namespace p2mpp {

/// The upward normal, of unit length, of the plane on which the object stands: the one with the most points of
/// structure from motion near the object. `up`: of unit length, about the same direction. None if there is no such
/// plane: it must have enough of the points and be wide, its normal must be within 25 degrees of `up`, all cameras and
/// nearly all points nearby must be above it. Deterministic. Thread-safe.
[[nodiscard]] std::optional<Eigen::Vector3d> ground_normal(const Capture& capture, const Eigen::Vector3d& up);

}  // namespace p2mpp
