#include "surface/silhouette_rays.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "support/drawn_masks.h"

namespace p2mpp {
namespace {

constexpr int kSize = 96;
constexpr float kBall = 0.08F;
const Eigen::Vector3f kBeside(0.12F, 0, 0);  // a place that the ball does not have

/// The masks of a ball, some of which have a spot at kBeside, too, and a grid that has all of it.
class SilhouetteRaysTest : public ::testing::Test {
 protected:
  /// The numbers of rays that miss, if photographs deny all places beside the ball.
  std::size_t missed(std::span<const std::size_t> with_spot, bool are_denied) {
    std::vector<FitMask> masks = testing::ellipsoid_masks(kBall * Eigen::Matrix3d::Identity(), 8, kSize);
    for (const std::size_t which : with_spot) {
      const Pinhole<float> camera = MaskView(masks[which]).float_camera();
      const Eigen::Vector2f at = camera.pixel_of(camera.cam_from_world(kBeside));
      for (int row = 0; row < kSize; ++row) {
        for (int column = 0; column < kSize; ++column) {
          const Eigen::Vector2f centre(static_cast<float>(column) + 0.5F, static_cast<float>(row) + 0.5F);
          if ((centre - at).norm() < 3) masks[which].coverage[static_cast<std::size_t>(row * kSize + column)] = 255;
        }
      }
    }
    const std::vector<MaskView> views(masks.begin(), masks.end());
    std::vector<float> solid, price;
    std::vector<std::uint8_t> denied;
    for (std::size_t i = 0; i < grid_.active() * kBlockVoxels; ++i) {
      const bool is_ball = grid_.centre(i).norm() < kBall + grid_.voxel();
      solid.push_back(is_ball ? 1.0F : 0.0F);
      price.push_back((grid_.centre(i) - kBeside).norm());
      if (are_denied) denied.push_back(is_ball ? 0 : 1);
    }
    required_.assign(solid.size(), 0);
    const std::vector<std::uint8_t> usable(solid.size(), 1);
    return require_hits(grid_, views, {solid, usable, price, denied}, {.least = 0.5F}, 2, required_);
  }

  BlockGrid grid_{Eigen::Vector3f::Constant(-0.16F), 0.005F, Eigen::Vector3i::Constant(8)};
  std::vector<std::uint8_t> required_;
};

TEST_F(SilhouetteRaysTest, AMaskAloneDoesNotOutweighPhotographs) {
  EXPECT_EQ(missed({}, false), 0U);
  const std::vector<std::size_t> one = {2}, two = {2, 3};
  EXPECT_GT(missed(one, false), 10U);
  EXPECT_EQ(missed(one, true), 0U);
  EXPECT_EQ(std::ranges::count(required_, 1), 0);
  EXPECT_GT(missed(two, true), 0U);
  for (std::size_t i = 0; i < required_.size(); ++i) {
    if (required_[i] != 0) {
      EXPECT_LT((grid_.centre(i) - kBeside).norm(), 0.03F);
    }
  }
}

}  // namespace
}  // namespace p2mpp
