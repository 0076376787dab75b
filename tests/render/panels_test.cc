#include "render/panels.h"

#include <gtest/gtest.h>

#include "support/pixels.h"

namespace p2mpp {
namespace {

TEST(OnWhite, BlendsByAlpha) {
  const Rgba half = pixel(on_white(uniform(1, 1, {0, 100, 200, 128})), 0, 0);
  EXPECT_NEAR(half.red, 127, 1);
  EXPECT_NEAR(half.blue, 227, 1);
  EXPECT_EQ(half.alpha, 255);
}

TEST(SideBySide, KeepsThemApart) {
  const Image row = side_by_side({uniform(3, 4, {1, 2, 3, 255}), uniform(5, 4, {4, 5, 6, 255})}, 2);
  EXPECT_EQ(row.width, 10);
  EXPECT_EQ(row.height, 4);
  EXPECT_EQ(pixel(row, 2, 3).red, 1);
  EXPECT_EQ(pixel(row, 3, 3).red, 255);
  EXPECT_EQ(pixel(row, 5, 0).red, 4);
  EXPECT_EQ(pixel(row, 9, 3).blue, 6);
}

TEST(SideBySide, ManyTakeSeveralRows) {
  std::vector<Image> images(kMostSideBySide + 1, uniform(3, 4, {1, 2, 3, 255}));
  images.back() = uniform(3, 4, {4, 5, 6, 255});
  const Image rows = side_by_side(images, 2);
  EXPECT_EQ(rows.width, 8 * 3 + 7 * 2);
  EXPECT_EQ(rows.height, 4 + 2 + 4);
  EXPECT_EQ(pixel(rows, rows.width - 1, 3).red, 1);
  EXPECT_EQ(pixel(rows, 0, 5).red, 255);
  EXPECT_EQ(pixel(rows, 0, 6).red, 4);
  EXPECT_EQ(pixel(rows, 2, 9).blue, 6);
  EXPECT_EQ(pixel(rows, 3, 9).red, 255);
}

}  // namespace
}  // namespace p2mpp
