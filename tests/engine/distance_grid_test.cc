#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <random>

#include "engine/predicted_distances.h"

namespace p2mpp {
namespace {

TEST(GridOver, CoversItsBoxWithFewVoxels) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> draw(0.02, 1);
  for (int i = 0; i < 200; ++i) {
    const Eigen::Vector3d lower(draw(random), -draw(random), draw(random));
    const Eigen::Vector3d upper = lower + Eigen::Vector3d(draw(random), draw(random), draw(random));
    const VoxelGrid grid = grid_over(lower, upper, kCoarseVoxels);
    EXPECT_TRUE((grid.lower.array() <= lower.array() + 1e-9).all() &&
                (grid.upper().array() >= upper.array() - 1e-9).all());
    EXPECT_LE(grid.size(), static_cast<std::size_t>(kCoarseVoxels));
    for (const int count : grid.counts) {
      EXPECT_EQ(count % 4, 0);
      EXPECT_LE(count, 48);
    }
  }
}

TEST(UprightFrame, KeepsYUpAndLooksAhead) {
  for (const double elevation : {-1.2, 0.0, 0.4}) {
    const Camera camera = camera_from_row({40, static_cast<float>(elevation * 57.3), 0, 0.8F, 0});
    const Eigen::Matrix3d frame = upright_frame(camera.rotation);
    EXPECT_TRUE((frame * frame.transpose()).isIdentity(1e-12));
    EXPECT_NEAR(frame.determinant(), 1, 1e-12);
    EXPECT_TRUE((frame * Eigen::Vector3d::UnitY()).isApprox(Eigen::Vector3d::UnitY()));
    EXPECT_NEAR((frame * camera.origin.normalized()).x(), 0, 1e-9);
    EXPECT_GT((frame * camera.origin).z(), 0);
  }
}

/// Two slabs, of which one touches the prior's solid.
TEST(DropGhosts, LeavesWhatThePriorKnows) {
  const VoxelGrid grid{Eigen::Vector3d::Constant(-0.1), 0.02, {10, 10, 10}};
  DistanceField prior{.grid = grid, .distances = {}, .errors = {}};
  std::vector<float> distances;
  for (int x = 0; x < 10; ++x) {
    for (int i = 0; i < 100; ++i) {
      distances.push_back(x < 3 || x > 6 ? -0.01F : 0.01F);
      prior.distances.push_back(0.02F * static_cast<float>(x) - 0.03F);
      prior.errors.push_back(std::fabs(prior.distances.back()));
    }
  }
  drop_ghosts(grid, prior, 0.01, distances);
  for (std::size_t i = 0; i < distances.size(); ++i) EXPECT_EQ(distances[i] < 0, i < 300) << i;
}

/// Views of a ball around a place.
DistanceViews ball_views(const Eigen::Vector3d& middle, double radius) {
  constexpr int kSide = 224;
  DistanceViews views;
  for (const float azimuth : {0.0F, 80.0F, 200.0F}) {
    const Camera camera = camera_from_row({azimuth, 20, 0, 1.2F, 0});
    views.cameras.push_back(camera);
    views.images.resize(views.images.size() + 3UL * kSide * kSide);
    const Eigen::Vector3d seen = camera.cam_from_world(middle);
    const double angle = std::asin(radius / seen.norm());
    for (int y = 0; y < kSide; ++y) {
      for (int x = 0; x < kSide; ++x) {
        const Eigen::Vector3d ray((x + 0.5 - 112) / 248, -(y + 0.5 - 112) / 248, -1);
        views.images.push_back(std::acos(ray.normalized().dot(seen.normalized())) < angle ? 1.0F : 0.0F);
      }
    }
  }
  return views;
}

TEST(HullGrid, HoldsTheObjectWhereverItIs) {
  for (const Eigen::Vector3d& middle : {Eigen::Vector3d(0, 0, 0), Eigen::Vector3d(0.1, 0.05, -0.15)}) {
    const VoxelGrid grid = hull_grid(ball_views(middle, 0.15), kCoarseVoxels);
    for (int axis = 0; axis < 3; ++axis) {
      EXPECT_LT(grid.lower[axis], middle[axis] - 0.15);
      EXPECT_GT(grid.upper()[axis], middle[axis] + 0.15);
      EXPECT_LT(grid.upper()[axis] - grid.lower[axis], 0.6);
    }
  }
}

TEST(Tightened, KeepsWhatIsSolid) {
  const VoxelGrid grid{{0, 0, 0}, 1, {16, 16, 16}};
  std::vector<float> distances(grid.size(), 1);
  for (int x = 4; x < 8; ++x) distances[static_cast<std::size_t>((x * 16 + 9) * 16 + 3)] = -1;
  const VoxelGrid tight = tightened(grid, distances, kCoarseVoxels);
  EXPECT_TRUE((tight.lower.array() <= Eigen::Array3d(4, 9, 3)).all());
  EXPECT_TRUE((tight.upper().array() >= Eigen::Array3d(8, 10, 4)).all());
  EXPECT_LT(tight.voxel, 0.2);
  EXPECT_EQ(tightened(grid, std::vector<float>(grid.size(), 1), kCoarseVoxels).counts, grid.counts);
}

}  // namespace
}  // namespace p2mpp
