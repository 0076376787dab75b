#include "hull/carving.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "capture/drawn_capture.h"
#include "hull/hull_projection.h"
#include "image/mask_boundary.h"
#include "p2mpp/error.h"
#include "support/temporary_folder.h"

namespace p2mpp {
namespace {

DrawnOptions few_pixels(int views) { return {.views = views, .width = 240, .height = 180, .samples = 1}; }

TEST(Carve, HoldsTheObjectAndLittleElse) {
  for (const bool fisheye : {false, true}) {
    DrawnOptions options = few_pixels(16);
    options.fisheye = fisheye;
    options.rolled = true;
    options.elevation_range_deg = 60;
    const DrawnCapture drawn = draw_capture(drawn_ball(), options, 3);
    const Hull hull = carve(silhouettes_of(drawn));
    const Similarity world_from_source = inverse(drawn.source_from_world);
    double least = 1, most = 0;
    for (const Eigen::Vector3f& point : hull.surface) {
      const double radius = world_from_source.transformed(point.cast<double>()).norm() / drawn.unit;
      least = std::min(least, radius);
      most = std::max(most, radius);
    }
    EXPECT_GT(least, 0.9) << fisheye;
    EXPECT_LT(most, 1.2) << fisheye;
    const double unit = drawn.unit * drawn.source_from_world.scale;
    EXPECT_NEAR(hull.volume / (4.18879 * unit * unit * unit), 1.03, 0.04);
    for (const SilhouetteFit& fit : silhouette_fits(hull, silhouettes_of(drawn))) {
      EXPECT_LT(fit.unexplained, 0.001);
      EXPECT_LT(fit.beyond, 0.015);
    }
  }
}

TEST(RobustHull, LeavesOutABadMask) {
  const DrawnCapture drawn = draw_capture(drawn_chair(), few_pixels(12), 4);
  std::vector<MaskView> silhouettes = silhouettes_of(drawn);
  EXPECT_TRUE(robust_hull(silhouettes).excluded.empty());
  Image broken = drawn.images[5];  // its left half is missing
  for (std::size_t i = 0; i < broken.rgba.size(); i += 4) {
    if (static_cast<int>(i / 4) % broken.width < broken.width / 2) broken.rgba[i + 3] = 0;
  }
  const Mask mask = object_mask(broken, "drawn").mask;
  silhouettes[5] = resampled_mask(drawn.capture.photographs[5], mask, mask_facts(mask));
  const RobustHull robust = robust_hull(silhouettes);
  EXPECT_EQ(robust.excluded, std::vector<std::size_t>{5});
  EXPECT_GT(robust.fits[5].beyond, 0.2);
  for (std::size_t i = 0; i < 12; ++i) {
    if (i != 5) {
      EXPECT_LT(robust.fits[i].unexplained, 0.02) << i;
    }
  }
}

TEST(Carve, RefusesSilhouettesWithoutACommonPoint) {
  DrawnCapture drawn = draw_capture(drawn_ball(), few_pixels(4), 8);
  drawn.capture.photographs[0].cam_from_source.translation.x() += 3 * drawn.source_from_world.scale;
  EXPECT_REFUSED(carve(silhouettes_of(drawn)), "the silhouettes have no point in common");
  const std::vector<MaskView> same(4, silhouettes_of(drawn)[1]);
  EXPECT_REFUSED(carve(same), "the cameras look along one line");
}

}  // namespace
}  // namespace p2mpp
