#include "geometry/triangle_intersection.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <random>
#include <set>

namespace p2mpp {
namespace {

TriangleCorners drawn(std::mt19937& random, float size) {
  std::uniform_real_distribution<float> place(-1, 1), step(-size, size);
  const Eigen::Vector3f a(place(random), place(random), place(random));
  return {a, a + Eigen::Vector3f(step(random), step(random), step(random)),
          a + Eigen::Vector3f(step(random), step(random), step(random))};
}

/// Whether an edge of a passes through b, by the signs of volumes.
bool pierces(const TriangleCorners& a, const TriangleCorners& b) {
  const auto volume = [](const Eigen::Vector3f& p, const Eigen::Vector3f& q, const Eigen::Vector3f& r,
                         const Eigen::Vector3f& s) {
    Eigen::Matrix3d m;
    m << (q - p).cast<double>(), (r - p).cast<double>(), (s - p).cast<double>();
    return m.determinant();
  };
  for (std::size_t k = 0; k < 3; ++k) {
    const Eigen::Vector3f &p = a.at[k], &q = a.at[(k + 1) % 3];
    if ((volume(p, b.at[0], b.at[1], b.at[2]) > 0) == (volume(q, b.at[0], b.at[1], b.at[2]) > 0)) continue;
    const bool one = volume(p, q, b.at[0], b.at[1]) > 0, two = volume(p, q, b.at[1], b.at[2]) > 0,
               three = volume(p, q, b.at[2], b.at[0]) > 0;
    if (one == two && two == three) return true;
  }
  return false;
}

TEST(TriangleIntersectionTest, TrianglesIntersectWhereAnEdgeOfOnePassesThroughTheOther) {
  std::mt19937 random(5);
  int count = 0;
  for (int i = 0; i < 20'000; ++i) {
    const TriangleCorners a = drawn(random, 1), b = drawn(random, 1);
    const bool expected = pierces(a, b) || pierces(b, a);
    EXPECT_EQ(intersect(a, b), expected) << i;
    EXPECT_EQ(intersect(b, a), expected) << i;
    count += expected;
  }
  EXPECT_GT(count, 500);
}

TEST(TriangleBucketsTest, EveryTriangleWhoseBoxMeetsAnotherIsVisitedAlsoAfterItMoved) {
  std::mt19937 random(6);
  std::vector<TriangleCorners> triangles;
  TriangleBuckets buckets(0.2F);
  for (std::uint32_t i = 0; i < 300; ++i) {
    triangles.push_back(drawn(random, 0.2F));
    buckets.add(i, triangles.back());
  }
  for (std::uint32_t i = 0; i < 300; i += 3) buckets.add(i, triangles[i] = drawn(random, 0.2F));
  for (int k = 0; k < 100; ++k) {
    const TriangleCorners other = drawn(random, 0.3F);
    std::set<std::uint32_t> visited;
    buckets.near(other, [&](std::uint32_t triangle) { visited.insert(triangle); });
    for (std::uint32_t i = 0; i < 300; ++i) {
      if (intersect(triangles[i], other)) {
        EXPECT_TRUE(visited.contains(i));
      }
    }
  }
}

}  // namespace
}  // namespace p2mpp
