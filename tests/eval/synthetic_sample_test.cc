#include <gtest/gtest.h>

#include <set>

#include "eval/benchmark.h"

namespace p2mpp {
namespace {

TEST(SyntheticSample, IsASampleOfThreeViews) {
  const Sample sample = synthetic_sample(1);
  ASSERT_EQ(sample.views.size(), 3U);
  for (const View& view : sample.views) {
    EXPECT_NO_THROW(check_camera(view.camera));
    ASSERT_EQ(view.image.rgba.size(), static_cast<std::size_t>(4 * view.image.width * view.image.height));
    std::set<std::uint8_t> reds, alphas;
    for (std::size_t i = 0; i < view.image.rgba.size(); i += 4) {
      reds.insert(view.image.rgba[i]);
      alphas.insert(view.image.rgba[i + 3]);
    }
    EXPECT_GT(reds.size(), 20U) << "nothing smooth is drawn";
    EXPECT_EQ(alphas, (std::set<std::uint8_t>{0, 255}));
  }
}

TEST(SyntheticSample, FollowsFromItsSeed) {
  EXPECT_EQ(synthetic_sample(1).views[0].image.rgba, synthetic_sample(1).views[0].image.rgba);
  EXPECT_NE(synthetic_sample(1).views[0].image.rgba, synthetic_sample(2).views[0].image.rgba);
  EXPECT_NE(synthetic_sample(1).views[0].image.rgba, synthetic_sample(1).views[1].image.rgba);
}

}  // namespace
}  // namespace p2mpp
