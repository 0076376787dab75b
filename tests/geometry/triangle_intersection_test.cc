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

double volume(const Eigen::Vector3f& p, const Eigen::Vector3f& q, const Eigen::Vector3f& r, const Eigen::Vector3f& s) {
  Eigen::Matrix3d m;
  m << (q - p).cast<double>(), (r - p).cast<double>(), (s - p).cast<double>();
  return m.determinant();
}

/// Whether a line between two points passes through a triangle, by the signs of volumes.
bool passes(const Eigen::Vector3f& p, const Eigen::Vector3f& q, const TriangleCorners& b) {
  if ((volume(p, b.at[0], b.at[1], b.at[2]) > 0) == (volume(q, b.at[0], b.at[1], b.at[2]) > 0)) return false;
  const bool one = volume(p, q, b.at[0], b.at[1]) > 0, two = volume(p, q, b.at[1], b.at[2]) > 0,
             three = volume(p, q, b.at[2], b.at[0]) > 0;
  return one == two && two == three;
}

bool pierces(const TriangleCorners& a, const TriangleCorners& b) {
  return passes(a.at[0], a.at[1], b) || passes(a.at[1], a.at[2], b) || passes(a.at[2], a.at[0], b);
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

TEST(TriangleIntersectionTest, WithACommonCornerOnlyTheEdgesAcrossFromItCount) {
  std::mt19937 random(7);
  int count = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::size_t corner_a = random() % 3, corner_b = random() % 3;
    const TriangleCorners a = drawn(random, 1);
    std::array<Eigen::Vector3f, 3> corners = drawn(random, 1).at;
    corners.at(corner_b) = a.at.at(corner_a);
    const TriangleCorners b(corners[0], corners[1], corners[2]);
    const bool expected = passes(a.at.at((corner_a + 1) % 3), a.at.at((corner_a + 2) % 3), b) ||
                          passes(b.at.at((corner_b + 1) % 3), b.at.at((corner_b + 2) % 3), a);
    EXPECT_EQ(intersect_elsewhere(a, corner_a, b, corner_b), expected) << i;
    EXPECT_EQ(intersect_elsewhere(b, corner_b, a, corner_a), expected) << i;
    count += expected;
  }
  EXPECT_GT(count, 500);
}

TEST(TriangleBucketsTest, EveryTriangleWhoseBoxMeetsAnotherIsVisitedAlsoAfterItMoved) {
  std::mt19937 random(6);
  std::vector<TriangleCorners> triangles;
  std::vector<TriangleBuckets::Box> boxes(200);  // the others are added
  for (std::uint32_t i = 0; i < 300; ++i) {
    triangles.push_back(drawn(random, 0.2F));
    if (i < 200 && i % 4 != 0) boxes[i] = triangles[i].box;
  }
  TriangleBuckets buckets(0.2F, boxes);
  for (std::uint32_t i = 0; i < 300; ++i) {
    if (i >= 200 || i % 4 == 0) buckets.add(i, triangles[i].box);
  }
  for (std::uint32_t i = 0; i < 300; i += 3) buckets.add(i, (triangles[i] = drawn(random, 0.2F)).box);
  for (int k = 0; k < 100; ++k) {
    const TriangleCorners other = drawn(random, 0.3F);
    std::set<std::uint32_t> visited;
    buckets.near(other.box, [&](std::uint32_t triangle) { visited.insert(triangle); });
    for (std::uint32_t i = 0; i < 300; ++i) {
      if (intersect(triangles[i], other)) {
        EXPECT_TRUE(visited.contains(i));
      }
    }
  }
}

}  // namespace
}  // namespace p2mpp
