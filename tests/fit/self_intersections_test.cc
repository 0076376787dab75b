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

/// Two triangles intersect where an edge of one, which has no corner in common with the other, passes through the
/// other. Every pair is tested.
std::size_t count_plainly(const TriangleMesh& mesh) {
  std::vector<bool> intersects(mesh.triangles.size());
  const auto at = [&](std::int32_t i) { return mesh.vertices[static_cast<std::size_t>(i)].cast<double>().eval(); };
  const auto one_way = [&](const Triangle& a, const Triangle& b) {
    const auto is_common = [&](std::int32_t vertex) { return std::ranges::count(b, vertex) > 0; };
    for (std::size_t k = 0; k < 3; ++k) {
      const std::int32_t from = a[k], to = a[(k + 1) % 3];
      if (is_common(from) || is_common(to)) continue;
      if (pierces(at(from), at(to), at(b[0]), at(b[1]), at(b[2]))) return true;
    }
    return false;
  };
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    for (std::size_t j = i + 1; j < mesh.triangles.size(); ++j) {
      const Triangle &a = mesh.triangles[i], &b = mesh.triangles[j];
      if (one_way(a, b) || one_way(b, a)) intersects[i] = intersects[j] = true;
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

// Their grid cells were one, and every pair was tested: minutes.
TEST(SelfIntersectionsTest, EqualTrianglesAreTestedOnce) {
  constexpr std::int32_t kCount = 20'000;
  Points points;
  std::vector<Triangle> triangles;
  for (std::int32_t i = 0; i < kCount; ++i) {
    for (const Eigen::Vector3f& corner :
         {Eigen::Vector3f(0, 0, 0), Eigen::Vector3f(1, 0, 0), Eigen::Vector3f(0, 1, 0)}) {
      points.push_back(corner);
    }
    triangles.push_back({3 * i, 3 * i + 1 + i % 2, 3 * i + 2 - i % 2});
    triangles.push_back({0, 1, 2});
  }
  EXPECT_TRUE(find_self_intersections(points, triangles, 1, 100).triangles.empty());
  EXPECT_TRUE(find_self_intersections(points, triangles, 1, 100).is_complete);
  points.insert(points.end(), {{0.2F, 0.2F, -1}, {0.3F, 0.2F, -1}, {0.2F, 0.3F, 1}});
  triangles.push_back({3 * kCount, 3 * kCount + 1, 3 * kCount + 2});
  EXPECT_EQ(count_intersecting(points, triangles), triangles.size());
}

TEST(SelfIntersectionsTest, NeighboursCountWhereTheyShareMoreThanACornerOrASide) {
  const auto count = [](Points points, std::vector<Triangle> triangles) {
    return count_intersecting(points, triangles);
  };
  const Points corner = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, -1}, {1, 1, 1}, {1, 1, 2}, {2, 3, 0}, {2, -3, 0}};
  EXPECT_EQ(count(corner, {{0, 1, 2}, {0, 3, 4}}), 2U) << "across from the common corner";
  EXPECT_EQ(count(corner, {{0, 1, 2}, {0, 4, 5}}), 0U);
  EXPECT_EQ(count(corner, {{0, 1, 2}, {1, 0, 6}}), 2U) << "one lies on the other";
  EXPECT_EQ(count(corner, {{0, 1, 2}, {1, 0, 7}}), 0U) << "flat";
}

// A file has a vertex for each picture of a texture and each normal.
TEST(SelfIntersectionsTest, CornersAtOnePlaceAreOne) {
  const TriangleMesh split = testing::torn(testing::icosphere(2));
  EXPECT_EQ(count_intersecting(split.vertices, split.triangles), 0U);
}

// It made the cells of the grid as large as the whole mesh.
TEST(SelfIntersectionsTest, ATriangleFarAwayCostsNothing) {
  TriangleMesh mesh = testing::icosphere(4);
  const auto first = static_cast<std::int32_t>(mesh.vertices.size());
  mesh.vertices.insert(mesh.vertices.end(), {{1e6F, 0, 0}, {1e6F, 1, 0}, {1e6F, 0, 1}});
  mesh.triangles.push_back({first, first + 1, first + 2});
  const SelfIntersections found = find_self_intersections(mesh.vertices, mesh.triangles, 1, 40 * mesh.triangles.size());
  EXPECT_TRUE(found.triangles.empty());
  EXPECT_TRUE(found.is_complete);
}

TEST(SelfIntersectionsTest, ABoundedSearchFindsSomeAndSaysSo) {
  std::mt19937_64 generator(3);
  std::normal_distribution<float> noise;
  TriangleMesh mesh;
  for (std::int32_t i = 0; i < 300; ++i) {  // long ones whose boxes all meet
    for (int k = 0; k < 3; ++k) mesh.vertices.emplace_back(noise(generator), noise(generator), noise(generator));
    mesh.triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
  }
  const SelfIntersections all = find_self_intersections(mesh.vertices, mesh.triangles);
  EXPECT_TRUE(all.is_complete);
  for (const int threads : {1, 3}) {
    const SelfIntersections some = find_self_intersections(mesh.vertices, mesh.triangles, threads, 500);
    EXPECT_FALSE(some.is_complete);
    EXPECT_GT(some.triangles.size(), 0U);
    EXPECT_LT(some.triangles.size(), all.triangles.size());
    EXPECT_TRUE(std::ranges::includes(all.triangles, some.triangles));
  }
}

TEST(SelfIntersectionsTest, AnyNumberOfThreadsFindsTheSame) {
  std::mt19937_64 generator(5);
  std::normal_distribution<float> noise;
  TriangleMesh mesh = testing::icosphere(5);
  for (Eigen::Vector3f& vertex : mesh.vertices) {
    vertex += 0.02F * Eigen::Vector3f(noise(generator), noise(generator), noise(generator));
  }
  for (const std::size_t most : {kMostIntersectionPairs, std::size_t{100'000}}) {
    const SelfIntersections one = find_self_intersections(mesh.vertices, mesh.triangles, 1, most);
    const SelfIntersections three = find_self_intersections(mesh.vertices, mesh.triangles, 3, most);
    EXPECT_GT(one.triangles.size(), 100U);
    EXPECT_EQ(one.is_complete, most == kMostIntersectionPairs);
    EXPECT_EQ(one.triangles, three.triangles);
    EXPECT_EQ(one.is_complete, three.is_complete);
  }
}

TEST(SelfIntersectionsTest, NoAreaAndNoTriangleAreNoProblem) {
  EXPECT_EQ(count_intersecting({}, {}), 0U);
  const Points points(6, Eigen::Vector3f::Zero());
  EXPECT_EQ(count_intersecting(points, std::vector<Triangle>{{0, 1, 2}, {3, 4, 5}}), 0U);
}

}  // namespace
}  // namespace p2mpp
