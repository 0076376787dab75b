#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <array>
#include <cstddef>
#include <span>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

// Exact signs: -1, 0 or 1, whatever the rounding of floating-point numbers. Precondition: finite coordinates.

/// The plane through three points.
class OrientedPlane {
 public:
  OrientedPlane(const Eigen::Vector3f& a, const Eigen::Vector3f& b, const Eigen::Vector3f& c);

  /// On which side a point is: 1 where (b - a) x (c - a) points, 0 in the plane, or if the plane's points are in a
  /// line.
  [[nodiscard]] int signed_side(const Eigen::Vector3f& point) const;

  /// About (b - a) x (c - a).
  [[nodiscard]] const Eigen::Vector3d& normal() const { return normal_; }

 private:
  Eigen::Vector3f a_, b_, c_;
  Eigen::Vector3d normal_, sizes_;  // sizes: the sums of absolute values whose differences are the normal
};

/// On which side of the line from a to b the point c is: 1 to the left, 0 on it.
[[nodiscard]] int orientation(const Eigen::Vector2f& a, const Eigen::Vector2f& b, const Eigen::Vector2f& c);

/// A triangle in space, with a box that is wider by a margin on all sides.
struct TriangleCorners {
  TriangleCorners(const Eigen::Vector3f& a, const Eigen::Vector3f& b, const Eigen::Vector3f& c, float margin = 0)
      : at{a, b, c}, box(a.cwiseMin(b).cwiseMin(c).array() - margin, a.cwiseMax(b).cwiseMax(c).array() + margin) {}
  TriangleCorners(std::span<const Eigen::Vector3f> vertices, const Triangle& triangle, float margin = 0)
      : TriangleCorners(vertices[static_cast<std::size_t>(triangle[0])],
                        vertices[static_cast<std::size_t>(triangle[1])],
                        vertices[static_cast<std::size_t>(triangle[2])], margin) {}

  std::array<Eigen::Vector3f, 3> at;
  Eigen::AlignedBox3f box;
};

/// What two triangles share.
struct SharedCorners {
  std::size_t count = 0;
  std::size_t of_a = 0, of_b = 0;  ///< the corner of each if they share one; if they share two, the corner of each else
};

/// are_one(i, j): whether corner i of a triangle is corner j of another.
template <class AreOne>
[[nodiscard]] SharedCorners shared_corners(const AreOne& are_one) {
  SharedCorners shared;
  std::array<bool, 3> is_taken{};  // of the other's corners, several of which may be at one place
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      if (is_taken[j] || !are_one(i, j)) continue;
      is_taken[j] = true;
      ++shared.count;
      shared.of_a += i;
      shared.of_b += j;
      break;
    }
  }
  if (shared.count == 2) {
    shared.of_a = 3 - shared.of_a;
    shared.of_b = 3 - shared.of_b;
  }
  return shared;
}

/// Whether two triangles have points in common, but for the corner or the side that they share. Exact: triangles that
/// only touch do, and triangles that are a rounding error apart do not. Triangles that share all corners, and those
/// without an area, do not.
[[nodiscard]] bool intersect(const TriangleCorners& a, const TriangleCorners& b, const SharedCorners& shared);

/// Whether two triangles are closer than a margin, but for the corner that they share, or intersect if they share a
/// side. Some that are a little farther count, too. Precondition: a box of at least one is wider by the margin.
[[nodiscard]] bool are_close(const TriangleCorners& a, const TriangleCorners& b, const SharedCorners& shared,
                             float margin);

/// Triangles that are not closer than this do not intersect either if the mesh is turned, moved and rounded to floats,
/// as placed() rounds it.
[[nodiscard]] float rounding_margin(std::span<const Eigen::Vector3f> vertices);

}  // namespace p2mpp
