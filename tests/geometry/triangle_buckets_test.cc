#include "geometry/intersection/triangle_buckets.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "geometry/intersection/triangle_intersection.h"

namespace p2mpp {
namespace {

TriangleCorners drawn(std::mt19937& random, float size) {
  std::uniform_real_distribution<float> place(-1, 1), step(-size, size);
  const Eigen::Vector3f a(place(random), place(random), place(random));
  return {a, a + Eigen::Vector3f(step(random), step(random), step(random)),
          a + Eigen::Vector3f(step(random), step(random), step(random))};
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
      if (intersect(triangles[i], other, {})) {
        EXPECT_TRUE(visited.contains(i));
      }
    }
  }
}

}  // namespace
}  // namespace p2mpp
