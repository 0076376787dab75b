#include "render/resample.h"

#include <random>

#include "render/drawing.h"

namespace p2mpp {
namespace {

Image uniform(int width, int height, const Rgba& colour) {
  Image image{width, height, {}};
  for (int i = 0; i < width * height; ++i) {
    for (const int value : {colour.red, colour.green, colour.blue, colour.alpha}) {
      image.rgba.push_back(static_cast<std::uint8_t>(value));
    }
  }
  return image;
}

TEST(Resampled, TheSameSizeIsTheSameImage) {
  Image image = uniform(7, 5, {0, 0, 0, 255});
  std::mt19937 random(1);
  for (std::size_t i = 0; i < image.rgba.size(); ++i) {
    if (i % 4 != 3) image.rgba[i] = static_cast<std::uint8_t>(random());
  }
  EXPECT_EQ(resampled(image, 7, 5).rgba, image.rgba);
}

TEST(Resampled, KeepsUniformColoursAndSizes) {
  const Image image = uniform(20, 10, {10, 120, 250, 255});
  for (const int side : {1, 3, 10, 41}) {
    const Image other = resampled(image, side, 2 * side);
    EXPECT_EQ(other.width, side);
    EXPECT_EQ(other.height, 2 * side);
    EXPECT_EQ(other.rgba, uniform(side, 2 * side, {10, 120, 250, 255}).rgba);
  }
}

TEST(Resampled, SmallerIsTheMean) {
  Image image = uniform(64, 64, {0, 0, 0, 255});
  for (std::size_t i = 0; i < image.rgba.size(); i += 8) image.rgba[i] = 200;  // every other column is red
  EXPECT_NEAR(pixel(resampled(image, 8, 8), 4, 4).red, 100, 4);
}

TEST(Resampled, WhatIsTransparentLendsNoColour) {
  Image image = uniform(2, 1, {255, 0, 0, 0});
  image.rgba[4] = 0;
  image.rgba[6] = 200;
  image.rgba[7] = 255;  // blue beside an invisible red
  const Rgba mixed = pixel(resampled(image, 1, 1), 0, 0);
  EXPECT_EQ(mixed.red, 0);
  EXPECT_EQ(mixed.blue, 200);
  EXPECT_NEAR(mixed.alpha, 128, 1);
}

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
