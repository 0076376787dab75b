#pragma once

#include <Eigen/Core>

namespace p2mpp {

// Exact signs: -1, 0 or 1, whatever the rounding of floating-point numbers. Precondition: finite coordinates.

/// The plane through three points.
class OrientedPlane {
 public:
  OrientedPlane(const Eigen::Vector3f& a, const Eigen::Vector3f& b, const Eigen::Vector3f& c);

  /// On which side a point is: 1 where (b - a) x (c - a) points, 0 in the plane, or if the plane's points are in a line.
  [[nodiscard]] int side_of(const Eigen::Vector3f& point) const;

  /// About (b - a) x (c - a).
  [[nodiscard]] const Eigen::Vector3d& normal() const { return normal_; }

 private:
  Eigen::Vector3f a_, b_, c_;
  Eigen::Vector3d normal_, sizes_;  // sizes: the sums of absolute values whose differences are the normal
};

/// On which side of the line from a to b the point c is: 1 to the left, 0 on it.
[[nodiscard]] int orientation(const Eigen::Vector2f& a, const Eigen::Vector2f& b, const Eigen::Vector2f& c);

}  // namespace p2mpp
