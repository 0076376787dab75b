#include "check/sample_silhouettes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "capture/sample_views.h"
#include "check/sample_check.h"
#include "image/viewpoint.h"

namespace p2mpp {
namespace {

constexpr const char* kAeroplane = "02691156/p2mpp0001";

TEST(SilhouetteDisagreement, EachViewsShareOfTheDisagreement) {
  Sample sample = bundled_sample(kAeroplane);
  const auto given = silhouette_disagreements(sample, view_cameras(sample));
  ASSERT_EQ(given.size(), sample.views.size());
  EXPECT_EQ(std::ranges::max(given), silhouette_disagreement(sample, view_cameras(sample)));
  EXPECT_LT(*std::ranges::max(given), 0.06);
  std::ranges::fill(sample.views[1].image.rgba, std::uint8_t{255});  // shows nothing
  const auto without = silhouette_disagreements(sample, view_cameras(sample));
  EXPECT_TRUE(without[0]);
  EXPECT_FALSE(without[1]);
}

TEST(SilhouetteDisagreement, IsSmallForRightCamerasOnly) {
  int mirrored = 0, shifted = 0;
  for (const std::string& name : bundled_names()) {
    const Sample sample = bundled_sample(name);
    std::vector<Camera> cameras = view_cameras(sample);
    for (Camera& camera : cameras) camera.origin *= 100;  // no silhouette shows the scale
    EXPECT_LT(silhouette_disagreement(sample, cameras).value(), 0.01) << name;
    const std::vector<CameraHypothesis> others = order_hypotheses(sample);
    mirrored += silhouette_disagreement(sample, others.front().cameras).value() > 0.06;
    shifted += silhouette_disagreement(sample, others.back().cameras).value() > 0.06;
  }
  EXPECT_GE(mirrored, 20);  // of 30; bottles and lamps look the same from all sides
  EXPECT_GE(shifted, 28);
}

}  // namespace
}  // namespace p2mpp
