#include "image/resize.h"

#include <gtest/gtest.h>

#include <random>

#include "image/reduced_part.h"
#include "support/pixels.h"

namespace p2mpp {
namespace {

TEST(ResizeTriangle, TheSameSizeIsTheSameImage) {
  Image image = uniform(7, 5, {0, 0, 0, 255});
  std::mt19937 random(1);
  for (std::size_t i = 0; i < image.rgba.size(); ++i) {
    if (i % 4 != 3) image.rgba[i] = static_cast<std::uint8_t>(random());
  }
  EXPECT_EQ(resize_triangle(image, 7, 5).rgba, image.rgba);
}

TEST(ResizeTriangle, KeepsUniformColoursAndSizes) {
  const Image image = uniform(20, 10, {10, 120, 250, 255});
  for (const int side : {1, 3, 10, 41}) {
    const Image other = resize_triangle(image, side, 2 * side);
    EXPECT_EQ(other.width, side);
    EXPECT_EQ(other.height, 2 * side);
    EXPECT_EQ(other.rgba, uniform(side, 2 * side, {10, 120, 250, 255}).rgba);
  }
}

TEST(ResizeTriangle, SmallerIsTheMean) {
  Image image = uniform(64, 64, {0, 0, 0, 255});
  for (std::size_t i = 0; i < image.rgba.size(); i += 8) image.rgba[i] = 200;  // every other column is red
  EXPECT_NEAR(pixel(resize_triangle(image, 8, 8), 4, 4).red, 100, 4);
}

TEST(ResizeTriangle, WhatIsTransparentLendsNoColour) {
  Image image = uniform(2, 1, {255, 0, 0, 0});
  image.rgba[4] = 0;
  image.rgba[6] = 200;
  image.rgba[7] = 255;  // blue beside an invisible red
  const Rgba mixed = pixel(resize_triangle(image, 1, 1), 0, 0);
  EXPECT_EQ(mixed.red, 0);
  EXPECT_EQ(mixed.blue, 200);
  EXPECT_NEAR(mixed.alpha, 128, 1);
}

TEST(ResizeArea, IsTheMeanOfEachPixelsShare) {
  const std::vector<float> plane = {0, 30, 60, 90, 120, 150};  // 3x2
  EXPECT_EQ(resize_area(std::span(plane), {3, 2}, {1, 1}), std::vector<float>{75});
  EXPECT_EQ(resize_area(std::span(plane), {3, 2}, {2, 2}), (std::vector<float>{10, 50, 100, 140}));
  EXPECT_EQ(resize_area(std::span(plane), {3, 2}, {3, 4}),
            (std::vector<float>{0, 30, 60, 0, 30, 60, 90, 120, 150, 90, 120, 150}));
  const std::vector<std::uint8_t> bytes = {0, 3};
  EXPECT_EQ(resize_area(std::span(bytes), {2, 1}, {1, 1}), std::vector<std::uint8_t>{2});
}

TEST(ResizeBilinear, InterpolatesBetweenCentres) {
  const Mask mask{2, 1, {0, 200}};
  EXPECT_EQ(resize_bilinear(mask, 2, 1).coverage, mask.coverage);
  EXPECT_EQ(resize_bilinear(mask, 4, 1).coverage, (std::vector<std::uint8_t>{0, 50, 150, 200}));
  EXPECT_EQ(resize_bilinear(mask, 1, 3).coverage, (std::vector<std::uint8_t>{100, 100, 100}));
}

TEST(ReducedPart, HasNarrowBlocksAtItsEnd) {
  const ReducedPart<int> areas({10, 20, 17, 25}, 3, [](const PixelBox& block) {
    return (block.right - block.left) * (block.bottom - block.top);
  });
  EXPECT_EQ(areas.width(), 3);
  EXPECT_EQ(areas.height(), 2);
  EXPECT_EQ(areas.at(0, 0), 9);
  EXPECT_EQ(areas.at(0, 2), 3);
  EXPECT_EQ(areas.at(1, 2), 2);
  EXPECT_EQ(areas.column_of(14.5), 1);
  EXPECT_EQ(areas.row_of(21.5), 0);
}

}  // namespace
}  // namespace p2mpp
