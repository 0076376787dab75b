#include "image/mask_boundary.h"

#include <gtest/gtest.h>

#include <random>

#include "support/drawn_masks.h"

namespace p2mpp {
namespace {

MaskBoundary disc(int size, Eigen::Vector2d centre, double radius) {
  return MaskBoundary(testing::sampled_mask(
      size, [&](double x, double y) { return (Eigen::Vector2d(x, y) - centre).norm() <= radius; }));
}

TEST(MaskBoundaryTest, PointsOfADiscLieOnItsCircleToATenthOfAPixel) {
  const Eigen::Vector2d centre(30.3, 33.8);
  const MaskBoundary boundary = disc(64, centre, 17.4);
  ASSERT_GT(boundary.points().size(), 100U);
  for (const BoundaryPoint& point : boundary.points()) {
    const Eigen::Vector2d from = point.position.cast<double>() - centre;
    EXPECT_NEAR(from.norm(), 17.4, 0.15);
    EXPECT_GT(point.outward.cast<double>().dot(from.normalized()), 0.97);
  }
}

TEST(MaskBoundaryTest, TheNearestPointIsTheNearestOfAll) {
  std::mt19937_64 generator(3);
  std::uniform_real_distribution<float> place(-5, 69);
  const MaskBoundary boundary = disc(64, {20, 40}, 11);
  for (int i = 0; i < 200; ++i) {
    const Eigen::Vector2f position(place(generator), place(generator));
    const Eigen::Vector2f pixel = position.cwiseMax(0).cwiseMin(63).array().floor() + 0.5F;
    float least = 1e9F;
    for (const BoundaryPoint& point : boundary.points()) least = std::min(least, (point.position - pixel).norm());
    EXPECT_NEAR((boundary.nearest(position).position - pixel).norm(), least, 0.1);
  }
}

TEST(MaskBoundaryTest, TheImagesBorderIsNoBoundary) {
  const MaskBoundary boundary(testing::sampled_mask(32, [](double x, double) { return x < 12; }));
  ASSERT_EQ(boundary.points().size(), 32U);
  for (const BoundaryPoint& point : boundary.points()) EXPECT_NEAR(point.position.x(), 12, 1e-3);
  EXPECT_FALSE(boundary.is_background({-100, 5}));
  EXPECT_TRUE(boundary.is_background({20, 5}));
  EXPECT_TRUE(MaskBoundary({8, 8, std::vector<std::uint8_t>(64, 255)}).points().empty());
}

TEST(MaskBoundaryTest, ShrinkingMovesTheBoundaryByPixels) {
  for (const float pixels : {-3.0F, -0.5F, 1.0F, 2.5F}) {
    const MaskBoundary boundary(disc(64, {31, 32}, 15).shrunk(pixels));
    for (const BoundaryPoint& point : boundary.points()) {
      EXPECT_NEAR((point.position.cast<double>() - Eigen::Vector2d(31, 32)).norm(), 15 - pixels, 0.35);
    }
  }
}

}  // namespace
}  // namespace p2mpp
