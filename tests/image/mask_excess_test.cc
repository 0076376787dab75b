#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "image/mask_facts.h"

namespace p2mpp {
namespace {

struct Drawn {
  Mask mask;
  std::vector<std::uint8_t> brightness;
};

/// A grey blob in front of a lighter background, both with noise, and its mask with the boundary moved outwards.
Drawn draw(std::uint64_t seed, double too_wide, double contrast = 60, double noise = 10) {
  constexpr int kWidth = 150, kHeight = 120;
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> spread(-1, 1);
  const double lobes = std::floor(3 + spread(random)), turn = std::numbers::pi * spread(random);
  const double x = kWidth / 2.0 + 5 * spread(random), y = kHeight / 2.0 + 5 * spread(random);
  Drawn drawn{{kWidth, kHeight, {}}, {}};
  for (int row = 0; row < kHeight; ++row) {
    for (int column = 0; column < kWidth; ++column) {
      const double right = column + 0.5 - x, down = row + 0.5 - y;
      const double inside = 35 + 3 * std::sin(lobes * std::atan2(down, right) + turn) - std::hypot(right, down);
      const double cover = std::clamp(inside + 0.5, 0.0, 1.0);
      drawn.mask.coverage.push_back(inside + too_wide > 0 ? 255 : 0);
      drawn.brightness.push_back(
          static_cast<std::uint8_t>(std::lround(180 - contrast * cover + noise * spread(random))));
    }
  }
  return drawn;
}

TEST(MaskExcess, IsMeasuredToAThirdOfAPixel) {
  for (const double too_wide : {-3.0, -1.5, 0.0, 1.0, 2.5}) {
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      const Drawn drawn = draw(seed, too_wide);
      const std::optional<MaskExcess> excess = mask_excess(drawn.mask, drawn.brightness);
      ASSERT_TRUE(excess) << too_wide << " " << seed;
      EXPECT_NEAR(excess->pixels, too_wide, 0.35);
    }
  }
}

TEST(MaskExcess, IsUnknownWhereNoOutlineStandsOut) {
  const Drawn same = draw(1, 2, 0), far = draw(1, 12);
  EXPECT_FALSE(mask_excess(same.mask, same.brightness)) << "the background looks like the object";
  EXPECT_FALSE(mask_excess(far.mask, far.brightness)) << "it is out of reach";
  const Mask empty{30, 20, std::vector<std::uint8_t>(600)};
  EXPECT_FALSE(mask_excess(empty, std::vector<std::uint8_t>(600, 9)));
}

TEST(MaskExcess, OfAllMasksIsTheirMedianIfTheyAgree) {
  const auto common = [](const std::vector<double>& pixels, std::size_t unknown = 0, double grain = 1) {
    std::vector<std::optional<MaskExcess>> measured(unknown);
    for (const double each : pixels) measured.push_back(MaskExcess{each, grain});
    return common_excess(measured);
  };
  EXPECT_EQ(common({1.9, 2.1, 2.0, 2.2}, 1), 2.1);
  EXPECT_EQ(common({-2.2, -2.0, -2.1, 5}), -2.0) << "one is wrong";
  EXPECT_EQ(common({2, 2, 2}, 2), 0) << "too few of them are known";
  EXPECT_EQ(common({2, 2}), 0) << "two are too few";
  EXPECT_EQ(common({-3, 0, 2, 4}), 0) << "they disagree";
  EXPECT_EQ(common({0.5, 0.5, 0.5}), 0) << "it is too small to matter";
  EXPECT_EQ(common({0.5, 0.5, 0.5}, 0, 2), 0.5) << "it is a pixel of what was measured";
  EXPECT_EQ(common({}), 0);
}

TEST(MaskExcess, IsGoneFromANarrowedMask) {
  for (const double too_wide : {-2.0, 1.0, 3.0}) {
    const Drawn drawn = draw(5, too_wide), exact = draw(5, 0);
    const Mask mask = narrowed(drawn.mask, too_wide);
    ASSERT_EQ(mask.coverage.size(), exact.mask.coverage.size());
    int differ = 0;
    for (std::size_t i = 0; i < mask.coverage.size(); ++i) {
      differ += (mask.coverage[i] >= 128) != (exact.mask.coverage[i] >= 128);
    }
    EXPECT_LT(differ, 55) << "of an outline of 220 pixels";
  }
  Mask large{700, 600, std::vector<std::uint8_t>(420000)};  // more than a tile
  const auto distance = [](int pixel) { return std::hypot(pixel / 700 - 290.0, pixel % 700 - 333.0); };
  for (int i = 0; i < 420000; ++i) large.coverage[static_cast<std::size_t>(i)] = distance(i) < 250 ? 255 : 0;
  const Mask smaller = narrowed(large, 7);
  for (int i = 0; i < 420000; ++i) {
    if (std::fabs(distance(i) - 243) > 1) {
      EXPECT_EQ(smaller.coverage[static_cast<std::size_t>(i)] >= 128, distance(i) < 243) << i;
    }
  }
  const Mask empty{3, 2, std::vector<std::uint8_t>(6)};
  EXPECT_EQ(narrowed(empty, 1).coverage, empty.coverage);
}

}  // namespace
}  // namespace p2mpp
