#include "fit/self_intersections.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <random>

#include "support/test_meshes.h"

namespace p2mpp {
namespace {

/// Whether the segment from p to q passes through a triangle.
bool pierces(const Eigen::Vector3d& p, const Eigen::Vector3d& q, const Eigen::Vector3d& a, const Eigen::Vector3d& b,
             const Eigen::Vector3d& c) {
  Eigen::Matrix3d columns;
  columns << b - a, c - a, p - q;
  const Eigen::Vector3d solved = columns.inverse() * (p - a);
  return solved.allFinite() && solved.x() > 0 && solved.y() > 0 && solved.x() + solved.y() < 1 && solved.z() > 0 &&
         solved.z() < 1;
}

/// Two triangles intersect where an edge of one passes through the other. Every pair is tested.
std::size_t count_plainly(const TriangleMesh& mesh) {
  std::vector<bool> intersects(mesh.triangles.size());
  const auto at = [&](std::int32_t i) { return mesh.vertices[static_cast<std::size_t>(i)].cast<double>().eval(); };
  const auto one_way = [&](const Triangle& a, const Triangle& b) {
    for (std::size_t k = 0; k < 3; ++k) {
      if (pierces(at(a[k]), at(a[(k + 1) % 3]), at(b[0]), at(b[1]), at(b[2]))) return true;
    }
    return false;
  };
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    for (std::size_t j = i + 1; j < mesh.triangles.size(); ++j) {
      const Triangle &a = mesh.triangles[i], &b = mesh.triangles[j];
      bool share = false;
      for (const std::int32_t vertex : a) share = share || std::ranges::count(b, vertex) > 0;
      if (!share && (one_way(a, b) || one_way(b, a))) intersects[i] = intersects[j] = true;
    }
  }
  return static_cast<std::size_t>(std::ranges::count(intersects, true));
}

TEST(SelfIntersectionsTest, ASphereHasNone) {
  const TriangleMesh mesh = testing::icosphere(3);
  EXPECT_EQ(count_intersecting(mesh.vertices, mesh.triangles), 0U);
}

TEST(SelfIntersectionsTest, CountsWhatATestOfEveryPairCounts) {
  std::mt19937_64 generator(11);
  std::normal_distribution<float> noise;
  for (const float amount : {0.05F, 0.2F, 0.5F}) {
    TriangleMesh mesh = testing::icosphere(2);
    for (Eigen::Vector3f& vertex : mesh.vertices) {
      vertex += amount * Eigen::Vector3f(noise(generator), noise(generator), noise(generator));
    }
    EXPECT_EQ(count_intersecting(mesh.vertices, mesh.triangles), count_plainly(mesh)) << amount;
  }
}

TEST(SelfIntersectionsTest, NoAreaAndNoTriangleAreNoProblem) {
  EXPECT_EQ(count_intersecting({}, {}), 0U);
  const Points points(6, Eigen::Vector3f::Zero());
  EXPECT_EQ(count_intersecting(points, std::vector<Triangle>{{0, 1, 2}, {3, 4, 5}}), 0U);
}

}  // namespace
}  // namespace p2mpp
