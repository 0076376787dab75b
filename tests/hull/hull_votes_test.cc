#include "hull/hull_votes.h"

#include <gtest/gtest.h>

#include <random>

#include "hull/carving.h"
#include "support/drawn_masks.h"

namespace p2mpp {
namespace {

using testing::cameras_around;
using testing::ellipsoid_mask;

std::vector<FitMask> ball_masks(int count) {
  std::vector<FitMask> masks;
  for (const Camera& camera : cameras_around(count)) {
    masks.push_back(ellipsoid_mask(0.15 * Eigen::Matrix3d::Identity(), camera, 112));
  }
  return masks;
}

std::vector<MaskView> views_of(const std::vector<FitMask>& masks) { return {masks.begin(), masks.end()}; }

/// A bite that a wrong mask takes out of the object.
void spoil(FitMask& mask) {
  for (int row = 20; row < 70; ++row) {
    for (int column = 20; column < 56; ++column) mask.coverage[static_cast<std::size_t>(row * mask.width + column)] = 0;
  }
}

TEST(HullVotesTest, DistancesAreExactToFractionsOfAPixel) {
  const std::vector<FitMask> masks = ball_masks(24);
  const std::vector<MaskView> views = views_of(masks);
  const HullVotes votes(views, 0);
  const BlockGrid grid(Eigen::Vector3f::Constant(-0.2F), 0.4F / 64, Eigen::Vector3i::Constant(8));
  const std::vector<float> one = votes.distances(grid, 1), three = votes.distances(grid, 3);
  EXPECT_EQ(one, three);
  for (std::size_t i = 0; i < one.size(); ++i) {
    const float expected = 0.15F - grid.centre(i).norm();
    if (std::fabs(expected) < 0.02F) {  // the ball is in the hull
      EXPECT_GT(one[i], expected - 0.0025F);
    }
    if (expected < -0.03F) {
      EXPECT_LT(one[i], 0);
    }
  }
}

TEST(HullVotesTest, AWholeBallIsOnTheSideOfItsVoxels) {
  const std::vector<FitMask> masks = ball_masks(9);
  const std::vector<MaskView> views = views_of(masks);
  std::mt19937 random(8);
  std::uniform_real_distribution<float> place(-0.25F, 0.25F), size(0.005F, 0.05F);
  std::array<int, 3> counts{};
  for (const int allowance : {0, 2}) {
    const HullVotes votes(views, allowance);
    for (int i = 0; i < 300; ++i) {
      const Eigen::Vector3f middle(place(random), place(random), place(random));
      const float radius = size(random);
      const HullVotes::Side side = votes.side(middle, radius);
      ++counts[static_cast<std::size_t>(side)];
      if (side == HullVotes::Side::kCrossed) continue;
      const float voxel = 2 * radius / std::sqrt(3.0F) / kBlockSide;
      const BlockGrid grid(middle - Eigen::Vector3f::Constant(4 * voxel), voxel, Eigen::Vector3i::Ones());
      for (const float distance : votes.distances(grid, 1)) EXPECT_EQ(distance > 0, side == HullVotes::Side::kInside);
    }
  }
  for (const int count : counts) EXPECT_GT(count, 20);
}

TEST(HullVotesTest, AMaskThatContradictsTheOthersIsOutvoted) {
  std::vector<FitMask> masks = ball_masks(24);
  const std::vector<MaskView> good = views_of(masks);
  EXPECT_EQ(best_allowance(good, object_box(good, most_allowance(24), 2), 2), 0);
  spoil(masks[5]);
  const std::vector<MaskView> spoilt = views_of(masks);
  EXPECT_EQ(best_allowance(spoilt, object_box(spoilt, most_allowance(24), 2), 2), 1);
}

TEST(ObjectBoxTest, TheBoxHoldsTheObject) {
  const std::vector<FitMask> masks = testing::box_masks({0.14, 0.10, 0.12}, 8);
  const std::vector<MaskView> views = views_of(masks);
  const Box box = object_box(views, 0, 1);
  EXPECT_TRUE((box.upper.array() > Eigen::Array3f(0.14F, 0.10F, 0.12F)).all());
  EXPECT_TRUE((box.lower.array() < -Eigen::Array3f(0.14F, 0.10F, 0.12F)).all());
  EXPECT_LT((box.upper - box.lower).maxCoeff(), 0.45F);
}

// The hull is three times as long as the ball, and the searched cube reaches the planes through the cameras.
TEST(ObjectBoxTest, ThreePhotographsFromNearlyOneSideEncloseTheObject) {
  std::vector<FitMask> masks;
  for (const float azimuth : {0.0F, 12.0F, 40.0F}) {
    masks.push_back(
        ellipsoid_mask(0.11 * Eigen::Matrix3d::Identity(), camera_from_row({azimuth, 28, 0, 0.8F, 25}), 137));
  }
  const Box box = object_box(views_of(masks), 0, 1);
  EXPECT_TRUE((box.upper.array() > 0.11F).all());
  EXPECT_TRUE((box.lower.array() < -0.11F).all());
  EXPECT_LT((box.upper - box.lower).maxCoeff(), 1.5F);
}

}  // namespace
}  // namespace p2mpp
