#include "capture/view_choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace p2mpp {
namespace {

ViewCandidate at(double azimuth_deg, double elevation_deg) {
  constexpr double kRadian = std::numbers::pi / 180;
  const double e = elevation_deg * kRadian, a = azimuth_deg * kRadian;
  ViewCandidate candidate;
  candidate.camera = {std::cos(e) * std::cos(a), std::sin(e), std::cos(e) * std::sin(a)};
  candidate.sharpness = 100;
  candidate.extent = 500;
  static std::uint64_t next = 0;
  candidate.pixels = ++next;
  return candidate;
}

std::vector<ViewCandidate> ring(int count, double elevation_deg = 25) {
  std::vector<ViewCandidate> candidates;
  for (int i = 0; i < count; ++i) candidates.push_back(at(360.0 * i / count, elevation_deg));
  return candidates;
}

TEST(ChooseViews, SpreadsThemAroundTheObject) {
  EXPECT_EQ(choose_views(ring(12), 3), (std::vector<std::size_t>{0, 4, 8}));
  EXPECT_EQ(choose_views(ring(8), 4), (std::vector<std::size_t>{0, 2, 4, 6}));
  EXPECT_EQ(choose_views(ring(5), 5).size(), 5U);
  EXPECT_EQ(choose_views(ring(3), 5).size(), 3U);
  EXPECT_TRUE(choose_views({}, 3).empty());
  std::vector<std::size_t> many = choose_views(ring(100), 64);
  std::ranges::sort(many);
  EXPECT_TRUE(std::ranges::unique(many).empty());
  EXPECT_EQ(many.size(), 64U);
}

TEST(ChooseViews, AvoidsWhatIsCutBlurredLowOrUnusable) {
  for (int fault = 0; fault < 5; ++fault) {
    std::vector<ViewCandidate> candidates = ring(24);
    for (const std::size_t i : {0U, 8U, 16U}) {
      ViewCandidate& bad = candidates[i];
      if (fault == 0) bad.border_share = 0.1;
      if (fault == 1) bad.sharpness = 20;
      if (fault == 2) bad.camera.y() = -bad.camera.y();
      if (fault == 3) bad.usable = false;
      if (fault == 4) bad.extent = 30;
    }
    const std::vector<std::size_t> chosen = choose_views(candidates, 3);
    ASSERT_EQ(chosen.size(), 3U);
    for (const std::size_t i : chosen) EXPECT_NE(i % 8, 0U) << fault;
    for (std::size_t i = 0; i < 3; ++i) {  // and they are still far apart
      EXPECT_LT(candidates[chosen[i]].camera.dot(candidates[chosen[(i + 1) % 3]].camera), -0.1) << fault;
    }
  }
}

TEST(ChooseViews, PutsTheBestOneFirst) {
  std::vector<ViewCandidate> candidates = ring(3);
  candidates[0].border_share = 0.05;
  EXPECT_EQ(choose_views(candidates, 3), (std::vector<std::size_t>{1, 0, 2}));
}

TEST(DuplicateViews, AreFoundByPoseAndByPixels) {
  std::vector<ViewCandidate> candidates = ring(6);
  candidates.push_back(at(60.1, 25));  // the pose of 1
  candidates[4].pixels = candidates[2].pixels;
  const std::vector<std::pair<std::size_t, std::size_t>> expected{{1, 6}, {2, 4}};
  EXPECT_EQ(duplicate_views(candidates), expected);
  const std::vector<std::size_t> chosen = choose_views(candidates, 5);
  EXPECT_EQ(std::count(chosen.begin(), chosen.end(), 6U) + std::count(chosen.begin(), chosen.end(), 4U), 0);
  EXPECT_EQ(chosen.size(), 5U);
}

}  // namespace
}  // namespace p2mpp
