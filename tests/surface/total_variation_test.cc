#include "surface/total_variation.h"

#include <gtest/gtest.h>

#include <random>

namespace p2mpp {
namespace {

BlockGrid unit_voxels() { return {Eigen::Vector3f::Constant(-16), 1, Eigen::Vector3i::Constant(4)}; }

/// Costs -1 inside a ball around the origin and 1 outside, with noise.
std::vector<float> noisy_ball(const BlockGrid& grid, float radius, float noise) {
  std::mt19937 random(7);
  std::normal_distribution<float> deviation;
  std::vector<float> cost(grid.active() * kBlockVoxels);
  for (std::size_t i = 0; i < cost.size(); ++i)
    cost[i] = (grid.centre(i).norm() < radius ? -1.0F : 1.0F) + noise * deviation(random);
  return cost;
}

TEST(TotalVariationTest, NoiseIsRemovedAndABallStays) {
  const BlockGrid grid = unit_voxels();
  const std::vector<float> cost = noisy_ball(grid, 10, 2);
  TotalVariation solid(grid, std::vector<float>(cost.size()), 2);
  solid.run(cost, 2, 200);
  for (std::size_t i = 0; i < cost.size(); ++i) {
    const float away = grid.centre(i).norm() - 10;
    if (std::fabs(away) > 1.5F) {
      EXPECT_NEAR(solid.solution()[i], away < 0 ? 1 : 0, 0.3) << grid.centre(i).transpose();
    }
  }
}

TEST(TotalVariationTest, WithoutWeightTheCostDecides) {
  const BlockGrid grid = unit_voxels();
  const std::vector<float> cost = noisy_ball(grid, 10, 2);
  TotalVariation solid(grid, std::vector<float>(cost.size(), 0.5F), 1);
  solid.run(cost, 1e-6F, 2000);
  for (std::size_t i = 0; i < cost.size(); ++i) {
    if (std::fabs(cost[i]) > 0.01F) {
      EXPECT_EQ(solid.solution()[i], cost[i] < 0 ? 1 : 0);
    }
  }
}

TEST(TotalVariationTest, AFinerGridContinuesASolution) {
  const BlockGrid grid = unit_voxels();
  const std::vector<float> cost = noisy_ball(grid, 10, 0);
  TotalVariation solid(grid, std::vector<float>(cost.size()), 2);
  solid.run(cost, 1, 300);
  const BlockGrid fine = grid.refined([](const Eigen::Vector3i&) { return 0; });
  TotalVariation finer(fine, solid, 2);
  finer.run(noisy_ball(fine, 10, 0), 2, 20);
  for (std::size_t i = 0; i < finer.solution().size(); ++i) {
    const float away = fine.centre(i).norm() - 10;
    if (std::fabs(away) > 1.5F) {
      EXPECT_NEAR(finer.solution()[i], away < 0 ? 1 : 0, 0.1);
    }
  }
}

}  // namespace
}  // namespace p2mpp
