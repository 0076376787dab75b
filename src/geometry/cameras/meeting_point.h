#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>

namespace p2mpp {

/// The line of sight of a camera.
struct SightLine {
  Eigen::Vector3d origin, direction;  ///< the direction has unit length
};

/// The point nearest to lines of sight. Lines that miss it count less: a wrong one does not move it. None if they all
/// have about the same direction.
[[nodiscard]] std::optional<Eigen::Vector3d> meeting_point(std::span<const SightLine> lines);

}  // namespace p2mpp
