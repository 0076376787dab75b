#include "hull/block_grid.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

namespace p2mpp {
namespace {

BlockGrid drawn_grid(std::mt19937& random) {
  std::uniform_int_distribution<int> state(-2, 1);
  return BlockGrid({-1, 0, 2}, 0.5F, {2, 1, 2}).refined([&](const Eigen::Vector3i&) {
    return std::min(0, state(random));
  });
}

std::vector<float> drawn_values(const BlockGrid& grid, std::mt19937& random) {
  std::uniform_real_distribution<float> number(2, 3);
  std::vector<float> values(grid.active() * kBlockVoxels);
  for (float& value : values) value = number(random);
  return values;
}

TEST(BlockGridTest, ARefinedGridCoversTheSameBox) {
  const BlockGrid coarse({-1, 0, 2}, 0.5F, {2, 1, 2});
  EXPECT_EQ(coarse.active(), 4U);
  const BlockGrid fine = coarse.refined([](const Eigen::Vector3i& place) {
    return place.x() == 0 ? BlockGrid::kEmpty : place.x() == 3 ? BlockGrid::kFull : 0;
  });
  EXPECT_EQ(fine.upper(), coarse.upper());
  EXPECT_EQ(fine.active(), 16U);
  EXPECT_EQ(fine.slot({0, 1, 1}), BlockGrid::kEmpty);
  EXPECT_EQ(fine.slot({3, 1, 1}), BlockGrid::kFull);
  EXPECT_EQ(fine.slot({4, 1, 1}), BlockGrid::kEmpty);  // outside the box
  const std::vector<float> values(fine.active() * kBlockVoxels, 0.25F);
  EXPECT_EQ(fine.value(values, {7, 0, 0}, -1, 1), -1);
  EXPECT_EQ(fine.value(values, {8, 0, 0}, -1, 1), 0.25F);
  EXPECT_EQ(fine.value(values, {24, 0, 0}, -1, 1), 1);
  EXPECT_EQ(fine.value(values, {-1, 0, 0}, -1, 1), -1);
}

TEST(BlockGridTest, InterpolationGivesALinearFieldAndItsSlope) {
  const BlockGrid grid({-1, 0, 2}, 0.5F, {2, 1, 2});
  std::vector<float> values(grid.active() * kBlockVoxels);
  const Eigen::Vector3f slope(1, -2, 3);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = grid.centre(i).dot(slope);
  const Eigen::Vector3f point(2.9F, 1.3F, 5.9F);  // between blocks
  const auto found = grid.interpolate(values, point, 0, 0);
  EXPECT_NEAR(found.value, point.dot(slope), 1e-4);
  EXPECT_LT((found.slope - slope).norm(), 1e-4);
}

TEST(BlockGridTest, SurroundingsAreTheVoxelsAround) {
  std::mt19937 random(3);
  const BlockGrid grid = drawn_grid(random);
  const std::vector<float> values = drawn_values(grid, random);
  for (std::size_t slot = 0; slot < grid.active(); ++slot) {
    BlockSurroundings around(3);
    around.gather(grid, values, slot, -1, 1);
    for (int z = -3; z < 11; ++z) {
      for (int y = -3; y < 11; ++y) {
        for (int x = -3; x < 11; ++x) {
          EXPECT_EQ(around.at(x, y, z),
                    grid.value(values, kBlockSide * grid.place(slot) + Eigen::Vector3i(x, y, z), -1, 1));
        }
      }
    }
  }
}

TEST(BlockGridTest, AFilterSumsAlongAllAxes) {
  std::mt19937 random(4);
  const BlockGrid grid = drawn_grid(random);
  const std::vector<float> values = drawn_values(grid, random);
  constexpr std::array<float, 3> kWeights = {0.2F, 0.5F, 0.3F};
  BlockSurroundings plain(1), filtered(1);
  plain.gather(grid, values, 0, 0, 1);
  filtered.gather(grid, values, 0, 0, 1);
  filtered.filter(kWeights);
  for (std::size_t i = 0; i < kBlockVoxels; ++i) {
    const auto voxel = static_cast<int>(i);
    float sum = 0;
    for (int k = 0; k < 27; ++k) {
      const float weight = kWeights[static_cast<std::size_t>(k % 3)] * kWeights[static_cast<std::size_t>(k / 3 % 3)] *
                           kWeights[static_cast<std::size_t>(k / 9)];
      sum += weight * plain.at((voxel & 7) + k % 3 - 1, (voxel >> 3 & 7) + k / 3 % 3 - 1, (voxel >> 6) + k / 9 - 1);
    }
    EXPECT_NEAR(filtered.at(i), sum, 1e-5);
  }
}

}  // namespace
}  // namespace p2mpp
