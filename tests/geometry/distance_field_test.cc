#include "geometry/distances/distance_field.h"

#include <gtest/gtest.h>

#include <numbers>
#include <random>

namespace p2mpp {
namespace {

/// Distances to a plane in a turned frame are linear, so trilinear lookups are exact between the outermost centres.
TEST(DistanceField, IsExactForAPlane) {
  DistanceField field;
  field.grid = {{-1, -2, -1.5}, 0.25, {8, 16, 12}};
  field.frame_from_world = Eigen::AngleAxisd(0.7, Eigen::Vector3d::UnitY()).toRotationMatrix();
  const Eigen::Vector3d normal = Eigen::Vector3d(1, 2, -2) / 3;
  for (int x = 0; x < 8; ++x) {
    for (int y = 0; y < 16; ++y) {
      for (int z = 0; z < 12; ++z) {
        const double distance = normal.dot(field.grid.centre({x, y, z})) - 0.1;
        field.distances.push_back(static_cast<float>(distance));
        field.errors.push_back(0.5F);
      }
    }
  }
  std::mt19937 random(1);
  std::uniform_real_distribution<double> share(0.07, 0.93);
  for (int i = 0; i < 200; ++i) {
    const Eigen::Vector3d sides = field.grid.upper() - field.grid.lower;
    const Eigen::Vector3d place =
        field.grid.lower + sides.cwiseProduct(Eigen::Vector3d(share(random), share(random), share(random)));
    const DistanceField::Value value = field.at((field.frame_from_world.transpose() * place).cast<float>());
    EXPECT_NEAR(value.distance, normal.dot(place) - 0.1, 1e-5);
    EXPECT_NEAR(value.error, 0.5, 1e-6);
  }
}

TEST(DistanceField, GrowsBeyondItsGrid) {
  DistanceField field;
  field.grid = {{0, 0, 0}, 1, {1, 1, 1}};
  field.distances = {2};
  field.errors = {0};
  EXPECT_EQ(field.at({0.9F, 0.1F, 0.5F}).distance, 2);
  EXPECT_NEAR(field.at({4, 5, 1}).distance, 2 + 5, 1e-6);
}

TEST(VoxelGrid, KeepsItsBoxWhenItIsRefined) {
  const VoxelGrid grid{{1, 2, 3}, 0.5, {4, 8, 12}}, fine = grid.refined(2);
  EXPECT_TRUE(fine.upper().isApprox(grid.upper()));
  EXPECT_EQ(fine.size(), 8 * grid.size());
  EXPECT_TRUE(grid.centre({0, 1, 0}).isApprox(Eigen::Vector3d(1.25, 2.75, 3.25)));
}

}  // namespace
}  // namespace p2mpp
