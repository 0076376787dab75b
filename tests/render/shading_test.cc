#include "render/shading.h"

#include <gtest/gtest.h>

#include <cmath>

namespace p2mpp {
namespace {

TEST(Srgb, IsTheStandards) {
  EXPECT_EQ(srgb_from_linear(0), 0);
  EXPECT_EQ(srgb_from_linear(1), 255);
  EXPECT_EQ(srgb_from_linear(7), 255);
  EXPECT_EQ(srgb_from_linear(-1), 0);
  EXPECT_NEAR(srgb_from_linear(0.2140F), 127.5, 0.6);
  for (int value = 8; value < 256; ++value) {
    EXPECT_NEAR(srgb_from_linear(linear_from_srgb(static_cast<std::uint8_t>(value))), value, 1);
  }
}

TEST(Lights, TurnWithTheCamera) {
  Eigen::Matrix3d turned;
  turned << 0, 0, -1, 0, 1, 0, 1, 0, 0;  // x to the right is the world's -z
  const SurfacePoint front{{0, 0, 1}, {0, 0, 1}, {1, 1, 1}, 1}, side{{1, 0, 0}, {1, 0, 0}, {1, 1, 1}, 1};
  EXPECT_NEAR(Lights(Eigen::Matrix3d::Identity()).shade(front).x(), Lights(turned).shade(side).x(), 1e-5);
}

TEST(Lights, WhatIsClosedInIsDarker) {
  const Lights lights(Eigen::Matrix3d::Identity());
  SurfacePoint point{{0, 0, 1}, {0, 0, 1}, {0.5F, 0.5F, 0.5F}, 1};
  const float open = lights.shade(point).x();
  point.openness = 0.2F;
  EXPECT_LT(lights.shade(point).x(), 0.6F * open);
  EXPECT_GT(lights.shade(point).x(), 0);
}

}  // namespace
}  // namespace p2mpp
