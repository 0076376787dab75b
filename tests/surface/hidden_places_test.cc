#include "surface/hidden_places.h"

#include <gtest/gtest.h>

#include "support/drawn_masks.h"

namespace p2mpp {
namespace {

// A box that is open above: cameras see into it from above alone.
TEST(SeeingSharesTest, CountCamerasThatSeeAPlace) {
  const std::vector<FitMask> masks = testing::box_masks({0.1, 0.1, 0.1}, 8);  // every second one from above
  const std::vector<MaskView> views(masks.begin(), masks.end());
  const BlockGrid grid(Eigen::Vector3f::Constant(-0.16F), 0.32F / 32, Eigen::Vector3i::Constant(4));
  std::vector<float> solid(grid.active() * kBlockVoxels);
  std::vector<std::uint8_t> asked(solid.size(), 1);
  const auto index = [&](const Eigen::Vector3i& voxel) {
    const Eigen::Vector3i place = voxel / kBlockSide;
    return static_cast<std::size_t>(grid.slot(place)) * kBlockVoxels + BlockGrid::within(voxel);
  };
  for (std::size_t i = 0; i < solid.size(); ++i) {
    const Eigen::Vector3i voxel = grid.voxel_at(i);
    const bool is_box = (voxel.array() >= 6).all() && (voxel.array() < 26).all();
    const bool is_hollow = voxel.x() >= 9 && voxel.x() < 23 && voxel.z() >= 9 && voxel.z() < 23 && voxel.y() >= 9;
    solid[i] = is_box && !is_hollow ? 1.0F : 0.0F;
  }
  const std::size_t outside = index({1, 30, 1}), rim = index({16, 24, 16}), bottom = index({16, 11, 16});
  asked[outside] = 0;
  const std::vector<float> shares = seeing_shares(grid, solid, asked, views, 1);
  EXPECT_EQ(shares[outside], 1);
  EXPECT_EQ(shares[rim], 0.5F);
  EXPECT_EQ(shares[bottom], 0);
  EXPECT_EQ(seeing_shares(grid, solid, asked, views, 3), shares);
}

}  // namespace
}  // namespace p2mpp
