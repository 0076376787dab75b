#pragma once

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// A triangle in space, with its box.
struct TriangleCorners {
  TriangleCorners(const Eigen::Vector3f& a, const Eigen::Vector3f& b, const Eigen::Vector3f& c)
      : at{a, b, c}, low(a.cwiseMin(b).cwiseMin(c)), high(a.cwiseMax(b).cwiseMax(c)) {}
  TriangleCorners(std::span<const Eigen::Vector3f> vertices, const Triangle& triangle)
      : TriangleCorners(vertices[static_cast<std::size_t>(triangle[0])],
                        vertices[static_cast<std::size_t>(triangle[1])],
                        vertices[static_cast<std::size_t>(triangle[2])]) {}

  std::array<Eigen::Vector3f, 3> at;
  Eigen::Vector3f low, high;
};

/// Whether two triangles intersect. If they only touch, either answer. Coplanar triangles do not intersect.
/// Source: Moller, "A Fast Triangle-Triangle Intersection Test" (1997).
[[nodiscard]] bool intersect(const TriangleCorners& a, const TriangleCorners& b);

[[nodiscard]] bool share_vertex(const Triangle& a, const Triangle& b);

/// Whether a line between two points passes through a triangle. If it only touches, either answer.
[[nodiscard]] bool passes_through(const Eigen::Vector3f& from, const Eigen::Vector3f& to,
                                  const TriangleCorners& triangle);

/// Numbers of triangles by place: cubes of a grid, several of which share a bucket.
class TriangleBuckets {
 public:
  /// `side`: of a cube, about a triangle's size.
  explicit TriangleBuckets(float side) : side_(side), buckets_(kBuckets) {}

  /// Adds a triangle, again if it has moved.
  void add(std::uint32_t triangle, const TriangleCorners& corners);

  /// Calls visit(triangle) for those whose box meets that of another triangle, or did before they moved; one may come
  /// several times.
  template <class Visit>
  void near(const TriangleCorners& corners, const Visit& visit) const {
    for_each_bucket(corners, [&](std::size_t bucket) {
      for (const Listed& listed : buckets_[bucket]) {
        if ((listed.low.array() > corners.high.array()).any() || (corners.low.array() > listed.high.array()).any()) {
          continue;
        }
        visit(listed.triangle);
      }
    });
  }

 private:
  struct Listed {
    std::uint32_t triangle;
    Eigen::Vector3f low, high;
  };
  static constexpr std::size_t kBuckets = std::size_t{1} << 17;

  [[nodiscard]] int cell_of(float value) const { return static_cast<int>(std::floor(value / side_)); }
  template <class Body>
  void for_each_bucket(const TriangleCorners& corners, const Body& body) const {
    for (int z = cell_of(corners.low.z()); z <= cell_of(corners.high.z()); ++z) {
      for (int y = cell_of(corners.low.y()); y <= cell_of(corners.high.y()); ++y) {
        for (int x = cell_of(corners.low.x()); x <= cell_of(corners.high.x()); ++x) {
          // Source: Teschner et al., "Optimized Spatial Hashing" (2003).
          const auto hash = static_cast<std::uint32_t>(x) * 73856093U ^ static_cast<std::uint32_t>(y) * 19349663U ^
                            static_cast<std::uint32_t>(z) * 83492791U;
          body(hash % kBuckets);
        }
      }
    }
  }

  float side_;
  std::vector<std::vector<Listed>> buckets_;
};

}  // namespace p2mpp
