#include "surface/depth_maps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <vector>

#include "geometry/edge_uses.h"
#include "support/drawn_masks.h"
#include "support/test_meshes.h"
#include "surface/overruled_masks.h"
#include "surface/reconstruct_surface.h"

namespace p2mpp {
namespace {

constexpr int kMapSize = 128;
constexpr double kRadius = 0.12, kCutterRadius = 0.1;
const Eigen::Vector3d kCutter(0, 0.14, 0);  // its lowest point is kDeepest above the middle
constexpr float kDeepest = 0.04F;

/// Where a ray enters and leaves a ball.
std::optional<Eigen::Array2d> through_ball(const Eigen::Vector3d& from, const Eigen::Vector3d& way,
                                           const Eigen::Vector3d& middle, double radius) {
  const double along = (middle - from).dot(way);
  const double inside = radius * radius - (from + along * way - middle).squaredNorm();
  if (inside < 0) return {};
  return Eigen::Array2d(along - std::sqrt(inside), along + std::sqrt(inside));
}

/// A ball with a hollow on top, which hardly a silhouette shows.
std::optional<Eigen::Vector3d> hollow_ball(const Eigen::Vector3d& from, const Eigen::Vector3d& way) {
  const auto ball = through_ball(from, way, Eigen::Vector3d::Zero(), kRadius);
  if (!ball) return {};
  double at = ball->x();
  const auto cut = through_ball(from, way, kCutter, kCutterRadius);
  if (cut && cut->x() <= at && at < cut->y()) at = cut->y();
  if (at > ball->y()) return {};
  return from + at * way;
}

std::vector<FitMask> hollow_ball_masks() {
  std::vector<FitMask> masks;
  for (int i = 0; i < 14; ++i) {
    const Camera camera = camera_from_row({static_cast<float>(i) * 360 / 14, i % 2 == 0 ? 30.0F : 55.0F, 0, 0.8F, 25});
    masks.push_back(testing::patterned_mask(camera, kMapSize, hollow_ball));
  }
  return masks;
}

class DepthMapsTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::vector<DepthMap> maps(int threads = 2, int allowance = 0) const {
    const std::vector<MaskView> views(masks_.begin(), masks_.end());
    return depth_maps(views, allowance, {Eigen::Vector3f::Constant(-0.14F), Eigen::Vector3f::Constant(0.14F)}, threads);
  }
  std::vector<FitMask> masks_ = hollow_ball_masks();
};

TEST_F(DepthMapsTest, APatternShowsHowFarTheSurfaceIs) {
  std::size_t known = 0, right = 0;
  for (const DepthMap& map : maps()) {
    for (std::size_t i = 0; i < map.depths.size(); ++i) {
      if (std::isnan(map.depths[i])) continue;
      const Eigen::Vector3f way =
          map.camera.ray(static_cast<float>(i % kMapSize) + 0.5F, static_cast<float>(i / kMapSize) + 0.5F);
      const auto truth = hollow_ball(map.camera.centre.cast<double>(), way.cast<double>().normalized());
      ++known;
      if (truth && std::fabs(map.camera.cam_from_world(truth->cast<float>()).z() - map.depths[i]) < 0.006F) ++right;
    }
  }
  EXPECT_GT(known, 5000U);
  EXPECT_GT(static_cast<double>(right), 0.9 * static_cast<double>(known));
}

TEST_F(DepthMapsTest, VotesTellTheHollowFromTheObject) {
  const std::vector<DepthMap> found = maps();
  const SurfaceVotes hollow = votes_at(found, {0, kDeepest + 0.02F, 0}, 0.005F),
                     object = votes_at(found, {0, kDeepest - 0.01F, 0}, 0.005F);
  EXPECT_GT(hollow.sum, 2);
  EXPECT_LT(object.sum, -2);
}

// In each picture, the middle of the ball is another grey but for a spot, as of a highlight.
TEST_F(DepthMapsTest, ASpotOfADepthIsNotKnown) {
  for (FitMask& mask : masks_) {
    for (int row = 0; row < kMapSize; ++row) {
      for (int column = 0; column < kMapSize; ++column) {
        const int away = std::max(std::abs(row - kMapSize / 2), std::abs(column - kMapSize / 2));
        if (away > 1 && away < 24) mask.brightness[static_cast<std::size_t>(row * kMapSize + column)] = 90;
      }
    }
  }
  for (const DepthMap& map : maps()) {
    for (int row = -1; row <= 1; ++row) {
      for (int column = -1; column <= 1; ++column) {
        const int at = (kMapSize / 2 + row) * kMapSize + kMapSize / 2 + column;
        ASSERT_TRUE(std::isnan(map.depths[static_cast<std::size_t>(at)]));
      }
    }
  }
}

TEST_F(DepthMapsTest, ThreadsChangeNothing) {
  const std::vector<DepthMap> one = maps(1), three = maps(3);
  for (std::size_t i = 0; i < one.size(); ++i) {
    for (std::size_t k = 0; k < one[i].depths.size(); ++k) {
      ASSERT_TRUE(one[i].depths[k] == three[i].depths[k] || std::isnan(one[i].depths[k]));
    }
  }
}

TEST_F(DepthMapsTest, WithoutAPatternNothingIsKnown) {
  for (FitMask& mask : masks_) mask.brightness.assign(mask.brightness.size(), 90);
  for (const DepthMap& map : maps()) {
    for (const float depth : map.depths) ASSERT_TRUE(std::isnan(depth));
  }
  for (std::size_t i = kFewestPictures - 1; i < masks_.size(); ++i) masks_[i].brightness.clear();
  EXPECT_TRUE(maps().empty());
}

// No mask shows the hollow.
TEST_F(DepthMapsTest, ASurfaceHasTheHollowThatPicturesShow) {
  SurfaceOptions options{.resolution = 48, .target_vertices = 1200, .fit_steps = 0, .threads = 2};
  const double with = signed_volume(reconstruct_surface(masks_, {}, options).mesh);
  options.photo_consistency = false;
  const double without = signed_volume(reconstruct_surface(masks_, {}, options).mesh);
  EXPECT_LT(with, 0.93 * without);
}

/// Takes a disc out of a mask, and returns its pixels.
std::vector<std::size_t> bite(FitMask& mask, double column, double row, double radius) {
  std::vector<std::size_t> bitten;
  for (std::size_t i = 0; i < mask.coverage.size(); ++i) {
    const double x = static_cast<double>(i % kMapSize) + 0.5 - column,
                 y = static_cast<double>(i / kMapSize) + 0.5 - row;
    if (mask.coverage[i] < 128 || x * x + y * y > radius * radius) continue;
    mask.coverage[i] = 0;
    bitten.push_back(i);
  }
  return bitten;
}

// At the rim and in the middle of one mask of fourteen.
TEST_F(DepthMapsTest, PhotographsOverruleAMaskThatLacksAPiece) {
  const SurfaceOptions options{.resolution = 64, .target_vertices = 1200, .fit_steps = 0, .threads = 2};
  const double whole = signed_volume(reconstruct_surface(masks_, {}, options).mesh);
  std::vector<std::size_t> bitten = bite(masks_[3], kMapSize / 2.0 - 30, kMapSize / 2.0, 14);
  for (const std::size_t pixel : bite(masks_[3], kMapSize / 2.0 + 12, kMapSize / 2.0, 9)) bitten.push_back(pixel);
  std::vector<MaskView> views(masks_.begin(), masks_.end());
  EXPECT_EQ(overrule_masks(maps(2, 1), 1, 2, views), 1U);
  const auto unknown = std::ranges::count_if(bitten, [&](std::size_t i) { return !views[3].is_known(i); });
  EXPECT_GT(static_cast<double>(unknown), 0.9 * static_cast<double>(bitten.size()));
  const SurfaceResult repaired = reconstruct_surface(masks_, {}, options);
  EXPECT_EQ(repaired.overruled, 1U);
  EXPECT_NEAR(signed_volume(repaired.mesh), whole, 0.01 * whole);
}

// What so many masks deny is not there, and right masks stay.
TEST_F(DepthMapsTest, PhotographsDoNotOverruleRightMasksNorMany) {
  std::vector<MaskView> views(masks_.begin(), masks_.end());
  EXPECT_EQ(overrule_masks(maps(), 1, 2, views), 0U);
  for (FitMask& mask : masks_) bite(mask, kMapSize / 2.0, kMapSize / 2.0, 9);
  std::vector<MaskView> pierced(masks_.begin(), masks_.end());
  EXPECT_EQ(overrule_masks(maps(), 1, 2, pierced), 0U);
}

}  // namespace
}  // namespace p2mpp
