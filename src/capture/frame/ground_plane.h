#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>

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

}  // namespace p2mpp
