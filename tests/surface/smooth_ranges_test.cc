#include "surface/smooth_ranges.h"

#include <gtest/gtest.h>

#include <numeric>

namespace p2mpp {
namespace {

constexpr int kWidth = 8;
constexpr std::size_t kSteps = 20;

/// A square of pixels whose costs are 1 everywhere, but 0 at one range.
SmoothRanges search(std::size_t cheapest) {
  std::vector<std::size_t> pixels(std::size_t{kWidth} * kWidth);
  std::iota(pixels.begin(), pixels.end(), std::size_t{0});
  SmoothRanges made(kWidth, pixels, kSteps);
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    for (std::size_t k = 0; k < kSteps; ++k) made.costs(i)[k] = k == cheapest ? 0.0F : 1.0F;
  }
  return made;
}

TEST(SmoothRanges, TakesTheCheapestAndLeavesOutWhatOnePixelSays) {
  SmoothRanges ranges = search(5);
  ranges.costs(27)[5] = 1;
  ranges.costs(27)[15] = 0;
  EXPECT_EQ(ranges.choose({.slope = 0.25F, .jump = 4}), std::vector<std::size_t>(ranges.pixels().size(), 5));
}

TEST(SmoothRanges, ASlopeIsFollowedAndAStrongJumpKept) {
  SmoothRanges ranges = search(kSteps);
  for (std::size_t i = 0; i < ranges.pixels().size(); ++i) {
    const std::size_t column = i % kWidth;
    ranges.costs(i)[column < 4 ? column : column + 10] = -3;
  }
  const std::vector<std::size_t> chosen = ranges.choose({.slope = 0.1F, .jump = 0.5F});
  for (std::size_t i = 0; i < chosen.size(); ++i) EXPECT_EQ(chosen[i], i % kWidth < 4 ? i % kWidth : i % kWidth + 10);
}

TEST(SmoothRanges, RowsEndAtThePicturesBorder) {
  // The last pixel of a row and the first of the next one are no neighbours.
  SmoothRanges ranges(kWidth, {kWidth - 1, kWidth}, kSteps);
  ranges.costs(0)[2] = -1;
  ranges.costs(1)[18] = -1;
  EXPECT_EQ(ranges.choose({.slope = 1, .jump = 4}), (std::vector<std::size_t>{2, 18}));
}

}  // namespace
}  // namespace p2mpp
