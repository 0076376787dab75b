#pragma once

#include <Eigen/Core>
#include <vector>

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

}  // namespace p2mpp
