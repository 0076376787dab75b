#include "surface/learned_solid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "fit/self_intersections.h"
#include "geometry/edge_uses.h"
#include "support/box_meshes.h"
#include "surface/reconstruct_surface.h"

namespace p2mpp {
namespace {

constexpr float kVoxel = 0.006F;

/// The distances to a box around the origin, in a cube of 0.36.
DistanceField field_of_box(const Eigen::Vector3d& middle, const Eigen::Vector3d& half) {
  const VoxelGrid grid{Eigen::Vector3d::Constant(-0.18), kVoxel, Eigen::Vector3i::Constant(60)};
  return testing::distances_to_box(grid, middle, half);
}

std::vector<MaskView> views_of(const std::vector<FitMask>& masks) { return {masks.begin(), masks.end()}; }

TEST(LearnedSolid, MasksAddTheLegsThatTheNetworkLacks) {
  const DistanceField plate = field_of_box({0, 0.09, 0}, {0.15, 0.01, 0.12});
  const std::vector<FitMask> masks = testing::masks_of(testing::table(0.05F), 4);
  const SurfaceResult result = reconstruct_surface(masks, {.learned = &plate}, {.fit_steps = 0, .threads = 2});
  for (const float x : {-0.13F, 0.13F}) {
    for (const float z : {-0.10F, 0.10F}) {
      for (const float y : {0.035F, 0.06F}) {
        const auto is_near = [&](const Eigen::Vector3f& vertex) {
          return (vertex - Eigen::Vector3f(x, y, z)).norm() < 0.018F;
        };
        EXPECT_TRUE(std::ranges::any_of(result.mesh.vertices, is_near)) << x << " " << y << " " << z;
      }
    }
  }
  EXPECT_TRUE(is_closed(result.mesh.triangles));
  EXPECT_EQ(count_intersecting(result.mesh.vertices, result.mesh.triangles), 0U);
}

TEST(LearnedSolid, OutlinesThatAreOffByAPixelAddNothing) {
  const Eigen::Vector3d half(0.1, 0.08, 0.06);
  const std::vector<MaskView> views = views_of(testing::box_masks(half, 4));
  const DistanceField smaller = field_of_box({0, 0, 0}, half.array() - 0.004);
  EXPECT_EQ(learned_solid(smaller, views, 0, kVoxel, 2).values, learned_solid(smaller, {}, 0, kVoxel, 2).values);
}

TEST(LearnedSolid, IsTheSameForEveryNumberOfThreads) {
  const DistanceField plate = field_of_box({0, 0.09, 0}, {0.15, 0.01, 0.12});
  const std::vector<MaskView> views = views_of(testing::masks_of(testing::table(), 4));
  const std::vector<float> first = learned_solid(plate, views, 0, kVoxel, 1).values;
  EXPECT_EQ(learned_solid(plate, views, 0, kVoxel, 2).values, first);
  EXPECT_NE(learned_solid(plate, {}, 0, kVoxel, 2).values, first);
}

/// How many of the places of a plate in the plane y = 0 are solid, of 41 along x and z from -0.1 to 0.1.
int solid_places(const SolidField& field, bool only_hole) {
  int found = 0;
  for (int i = -20; i <= 20; ++i) {
    for (int j = -20; j <= 20; ++j) {
      const Eigen::Vector3f place(0.005F * static_cast<float>(i), 0, 0.005F * static_cast<float>(j));
      if (only_hole && place.norm() > 0.04F) continue;
      found += field.grid.interpolate(field.values, place, -1, 1).value > 0 ? 1 : 0;
    }
  }
  return found;
}

TEST(LearnedSolid, AHoleThatNoMaskShowsIsFilledByAnEvenPlate) {
  const Eigen::Vector3d half(0.13, 0.009, 0.13);
  DistanceField plate = field_of_box({0, 0, 0}, half);
  for (std::size_t i = 0; i < plate.distances.size(); ++i) {  // unsure around the middle: nothing is inside
    const Eigen::Vector3d centre = plate.grid.centre(plate.grid.place_of(i));
    const double beside = std::hypot(centre.x(), centre.z());
    if (beside < 0.05) plate.distances[i] += static_cast<float>(0.25 * (0.05 - beside) + 0.009);
  }
  const std::vector<MaskView> views = views_of(testing::box_masks(half, 4));
  EXPECT_LT(solid_places(learned_solid(plate, {}, 0, kVoxel, 2), true), 40);
  const SolidField filled = learned_solid(plate, views, 0, kVoxel, 2);
  EXPECT_EQ(solid_places(filled, false), 41 * 41);
  for (std::size_t i = 0; i < filled.values.size(); ++i) {
    const Eigen::Vector3f centre = filled.grid.centre(i);
    const bool is_beside = std::fabs(centre.y()) > 0.009F + 2.5F * kVoxel;
    EXPECT_FALSE(is_beside && filled.values[i] > 0) << centre.transpose();
  }
}

TEST(LearnedSolid, PinholesOfAWallAreClosedWithoutMasks) {
  DistanceField plate = field_of_box({0, 0, 0}, {0.13, 0.012, 0.13});
  for (std::size_t i = 0; i < plate.distances.size(); ++i) {
    const Eigen::Vector3d centre = plate.grid.centre(plate.grid.place_of(i));
    if (std::hypot(centre.x() - 0.003, centre.z() - 0.003) < kVoxel) plate.distances[i] = 0.3F * kVoxel;
  }
  const std::vector<MaskView> views = views_of(testing::box_masks({0.13, 0.012, 0.13}, 4));
  EXPECT_EQ(solid_places(learned_solid(plate, views, 0, kVoxel, 2), false), 41 * 41);
}

TEST(LearnedSolid, KeepsWhatIsThin) {
  const Eigen::Vector3d middle(0, kVoxel / 2, 0), half(0.12, 0.8 * kVoxel, 0.12);
  const SolidField solid = learned_solid(field_of_box(middle, half), {}, 0, kVoxel, 2);
  int centres = 0;
  for (std::size_t i = 0; i < solid.values.size(); ++i) {
    const Eigen::Vector3d away = (solid.grid.centre(i).cast<double>() - middle).cwiseAbs();
    if (away.y() > 1e-4 || away.x() > 0.1 || away.z() > 0.1) continue;
    ++centres;
    EXPECT_GT(solid.values[i], 0.2F);
  }
  EXPECT_GT(centres, 900);
}

}  // namespace
}  // namespace p2mpp
