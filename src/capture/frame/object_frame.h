#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>
#include <vector>

#include "cameras/capture.h"
#include "capture/frame/up_direction.h"
#include "hull/hull_projection.h"
#include "p2mpp/similarity.h"

namespace p2mpp {

/// The convex hull of points in the plane, counter-clockwise (Andrew's monotone chain).
[[nodiscard]] std::vector<Eigen::Vector2d> convex_hull(std::vector<Eigen::Vector2d> points);

/// 0 for fewer than three points.
[[nodiscard]] double polygon_area(const std::vector<Eigen::Vector2d>& polygon);

/// The angle in radians, in (-pi/4, pi/4], by which to turn the axes so that the footprint is smallest, slice by slice:
/// the sum of |x| + |y| over the normals of a surface's pieces of equal area is, for a convex slice, the perimeter of
/// its box. (The smallest box of the whole would turn a cross, such as an aeroplane, by 45 degrees.) Of angles whose
/// sums differ by less than one percent, the smallest: round objects keep their axes.
[[nodiscard]] double smallest_footprint_angle(const std::vector<Eigen::Vector2d>& normals);

/// The angle within `reach` radians of `start` at which points have the box with the smallest perimeter; `start` itself
/// if that is at an end of the range, where there is no minimum of its own.
[[nodiscard]] double smallest_box_angle_near(const std::vector<Eigen::Vector2d>& points, double start, double reach);

inline constexpr double kWorldDiagonal = 0.57;  ///< of the object's box in the normalised world

/// Properties of the frame that the user gives; the others are found. All are in the source's frame and unit.
struct FrameOptions {
  std::optional<Eigen::Vector3d> up;
  std::optional<Eigen::Vector3d> centre;  ///< of the object's box
  std::optional<double> scale;            ///< units of the source per unit of the world: the box's diagonal / 0.57
};

struct ObjectFrame {
  Similarity source_from_world;
  UpDirection up;
  Eigen::Vector3d size = Eigen::Vector3d::Zero();  ///< of the object's box along the world's axes, in the source's unit
  /// Bounds of the true box's diagonal relative to the chosen one: at most 1 and at least 1. They are far apart with
  /// few views or a single elevation.
  double least = 1, most = 1;
  std::size_t points = 0;  ///< number of points of structure from motion that refined the box
};

/// The object's frame from its hull: y up, the box's centre at the origin, its diagonal 0.57, turned about y to the
/// smallest footprint (up to a right angle: the x axis is as near to the source's x axis as can be).
///
/// Each side of the box lies between the hull's side and the smallest one that explains the silhouettes (BoxBounds),
/// nearer to the latter if the object is flat there. Points inside the hull move the inner bound out. Throws InputError
/// if a given number is not finite, the scale is not positive, or up is zero. Precondition: the hull is not empty.
[[nodiscard]] ObjectFrame object_frame(const Hull& hull, std::span<const MaskView> silhouettes, const UpDirection& up,
                                       std::span<const Eigen::Vector3d> points = {}, const FrameOptions& options = {});

}  // namespace p2mpp
