#pragma once

#include <Eigen/Geometry>
#include <array>
#include <cstddef>
#include <span>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// A triangle in space, with its box.
struct TriangleCorners {
  TriangleCorners(const Eigen::Vector3f& a, const Eigen::Vector3f& b, const Eigen::Vector3f& c)
      : at{a, b, c}, box(a.cwiseMin(b).cwiseMin(c), a.cwiseMax(b).cwiseMax(c)) {}
  TriangleCorners(std::span<const Eigen::Vector3f> vertices, const Triangle& triangle)
      : TriangleCorners(vertices[static_cast<std::size_t>(triangle[0])],
                        vertices[static_cast<std::size_t>(triangle[1])],
                        vertices[static_cast<std::size_t>(triangle[2])]) {}

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

}  // namespace p2mpp
