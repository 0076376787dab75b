#include <gtest/gtest.h>

#include <random>

#include "geometry/distances/distance_field.h"
#include "support/test_meshes.h"

namespace p2mpp {
namespace {

TEST(SolidDistanceTest, DistancesToASphereAreExactNearItAndRoughFarAway) {
  const TriangleMesh mesh = testing::icosphere(4);
  const Eigen::Vector3f corner = Eigen::Vector3f::Constant(1.5F);
  const float cell = 3.0F / 60;
  const SolidDistance one(mesh, -corner, corner, 60, 0.2F, 1), three(mesh, -corner, corner, 60, 0.2F, 3);
  std::mt19937 random(2);
  std::uniform_real_distribution<float> place(-1.5F, 1.5F);
  for (int i = 0; i < 3000; ++i) {
    const Eigen::Vector3f point(place(random), place(random), place(random));
    const float expected = 1 - point.norm();
    EXPECT_EQ(one.at(point), three.at(point));
    EXPECT_NEAR(one.at(point), expected, std::fabs(expected) < 0.1F ? 0.01 : 1.5 * cell) << point.transpose();
  }
  EXPECT_LT(one.at({9, 9, 9}), -0.5);
}

TEST(SolidDistanceTest, WithoutAMeshAllIsOutside) {
  const Eigen::Vector3f corner = Eigen::Vector3f::Ones();
  EXPECT_LT(SolidDistance({}, -corner, corner, 8, 0.1F, 1).at({0, 0, 0}), 0);
}

}  // namespace
}  // namespace p2mpp
