#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>
#include <string>

#include "capture/hull/hull_projection.h"
#include "capture/up_direction.h"
#include "p2mpp/similarity.h"

namespace p2mpp {

inline constexpr double kWorldDiagonal = 0.57;  ///< of the object's box in the normalised world

/// What is given rather than found; all in the source's frame and unit.
struct FrameOptions {
  std::optional<Eigen::Vector3d> up;
  std::optional<Eigen::Vector3d> centre;  ///< of the object's box
  std::optional<double> scale;            ///< units of the source per unit of the world: the box's diagonal / 0.57
};

struct ObjectFrame {
  Similarity source_from_world;
  UpDirection up;
  Eigen::Vector3d size = Eigen::Vector3d::Zero();  ///< of the object's box along the world's axes, in the source's unit
  /// The box's diagonal is between these, relative to the one that was taken (1 at most, 1 at least): far apart with
  /// few views or with one elevation.
  double least = 1, most = 1;
  std::size_t points = 0;  ///< of structure from motion that refined the box
};

/// The object's frame from its hull: y up, the box's centre at the origin, its diagonal 0.57, turned about y to the
/// smallest footprint (up to a right angle: the x axis is as near to the source's x axis as can be).
///
/// The box's sides lie between the hull's and the smallest that explain the silhouettes (BoxBounds), nearer to the
/// latter where the object is flat there; points inside the hull move the inner bound out. Throws InputError if
/// something given is not finite, if the scale is not positive, or if up is zero. Precondition: the hull is not empty.
[[nodiscard]] ObjectFrame object_frame(const Hull& hull, std::span<const Silhouette> silhouettes, const UpDirection& up,
                                       std::span<const Eigen::Vector3d> points = {}, const FrameOptions& options = {});

}  // namespace p2mpp
