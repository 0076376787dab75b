#include "image/mask_view.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "support/drawn_masks.h"

namespace p2mpp {
namespace {

constexpr double kRadius = 0.15;

FitMask ball_mask(const Camera& camera, int size = 112) {
  return testing::ellipsoid_mask(kRadius * Eigen::Matrix3d::Identity(), camera, size);
}

/// The distance of a line of sight through a point from the ball's surface, where it comes nearest to the ball's
/// middle; positive inside.
double inside_ball(const Eigen::Vector3d& centre, const Eigen::Vector3d& point) {
  const Eigen::Vector3d way = (point - centre).normalized();
  return kRadius - (centre - way * centre.dot(way)).norm();
}

TEST(MaskViewTest, APointIsAsFarFromTheConeAsFromTheObject) {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> place(-0.2, 0.2);
  for (const Camera& camera : testing::cameras_around(7)) {
    const MaskView view(ball_mask(camera));
    for (int i = 0; i < 200; ++i) {
      const Eigen::Vector3d point(place(random), place(random), place(random));
      const MaskView::Sight sight = view.see(point.cast<float>());
      const double expected = inside_ball(camera.origin, point);
      if (std::fabs(expected) > 0.03) continue;  // the cone widens: elsewhere, a pixel is not the same length
      EXPECT_NEAR(sight.distance * sight.pixel, expected, 0.5 * std::fabs(expected) + 0.5 * sight.pixel);
    }
  }
}

TEST(MaskViewTest, FloatsAndDoublesAgree) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> place(-20, 132);
  MaskView view(ball_mask(testing::cameras_around(3)[1]));
  for (const bool has_margin : {false, true}) {
    view.has_margin = has_margin;
    for (int i = 0; i < 200; ++i) {
      const double x = place(random), y = place(random);
      EXPECT_NEAR(view.distance_at(x, y), view.distance_at(static_cast<float>(x), static_cast<float>(y)), 1e-2);
    }
  }
}

TEST(MaskViewTest, OutsideItsSquareIsBackgroundIfItHasAMargin) {
  MaskView view(ball_mask(testing::cameras_around(3)[0]));
  const double at_border = view.distance_at(0.5, 56.0);
  ASSERT_LT(at_border, 0);
  EXPECT_EQ(view.distance_at(-9.5, 56.0), at_border);
  view.has_margin = true;
  EXPECT_NEAR(view.distance_at(-9.5, 56.0), at_border - 10, 1e-9);
}

TEST(MaskViewTest, DistancesAreThoseOfPlainLoops) {
  constexpr int kSize = 40;
  const auto is_object = [](int row, int column) {
    return std::hypot(row - 15, column - 12) < 9.3 || std::hypot(row - 22, column - 27) < 6.7;
  };
  Mask mask{kSize, kSize, {}};
  for (int i = 0; i < kSize * kSize; ++i) mask.coverage.push_back(is_object(i / kSize, i % kSize) ? 255 : 0);
  const MaskView view(mask, Pinhole<double>{});
  for (int i = 0; i < kSize * kSize; ++i) {
    double nearest = 1e9;
    for (int j = 0; j < kSize * kSize; ++j) {
      if (mask.coverage[static_cast<std::size_t>(i)] == mask.coverage[static_cast<std::size_t>(j)]) continue;
      nearest = std::min(nearest, std::hypot(i % kSize - j % kSize, i / kSize - j / kSize));
    }
    const double found = view.distance(i / kSize, i % kSize);
    EXPECT_EQ(found > 0, mask.coverage[static_cast<std::size_t>(i)] != 0);
    EXPECT_NEAR(std::fabs(found), nearest - 0.5, 0.8);  // it is measured to the boundary's middle, not to pixels
  }
}

TEST(MaskViewTest, AMaskWithoutABoundaryIsFarOnItsSide) {
  for (const std::uint8_t value : {std::uint8_t{0}, std::uint8_t{255}}) {
    const MaskView view({9, 9, std::vector<std::uint8_t>(81, value)}, Pinhole<double>{});
    EXPECT_EQ(view.distance(4, 4), value == 0 ? -18 : 18);
  }
}

TEST(MaskViewTest, AFitMaskComesBack) {
  for (const Camera& camera : testing::cameras_around(4)) {
    FitMask mask = ball_mask(camera);
    mask.brightness.assign(mask.coverage.size(), 7);
    const FitMask back = to_fit_mask(MaskView(mask), "back");
    EXPECT_EQ(back.coverage, mask.coverage);
    EXPECT_EQ(back.brightness, mask.brightness);
    EXPECT_EQ(back.camera.rotation, camera.rotation);
    EXPECT_EQ(back.camera.origin, camera.origin);
    EXPECT_NEAR(back.camera.intrinsics.fx, camera.intrinsics.fx, 1e-9);
    EXPECT_NEAR(back.camera.intrinsics.cy, camera.intrinsics.cy, 1e-9);
  }
}

}  // namespace
}  // namespace p2mpp
