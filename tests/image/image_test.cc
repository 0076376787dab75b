#include "p2mpp/image.h"

#include <gtest/gtest.h>

#include <array>

#include "p2mpp/error.h"
#include "support/pixels.h"

namespace p2mpp {
namespace {

std::array<int, 4> rgba_at(const Image& image, int x, int y) {
  const auto* rgba = image.rgba.data() + 4 * (y * image.width + x);
  return {rgba[0], rgba[1], rgba[2], rgba[3]};
}

TEST(PaddedToSquare, CentresAPortraitOnOpaqueWhite) {
  const Image image = padded_to_square(numbered(2, 5, 255));
  EXPECT_EQ(image.width, 5);
  EXPECT_EQ(image.height, 5);
  const std::array white = {255, 255, 255, 255};
  for (int y = 0; y < 5; ++y) {
    EXPECT_EQ(rgba_at(image, 0, y), white);
    for (int x = 0; x < 2; ++x) EXPECT_EQ(rgba_at(image, 1 + x, y), (std::array{2 * y + x, 10, 20, 255}));
    EXPECT_EQ(rgba_at(image, 3, y), white);
    EXPECT_EQ(rgba_at(image, 4, y), white);
  }
}

TEST(PaddedToSquare, IsTransparentWhereTheImageIs) {
  Image landscape = numbered(4, 2, 255);
  landscape.rgba[3] = 254;
  const Image image = padded_to_square(landscape);
  for (int x = 0; x < 4; ++x) {
    EXPECT_EQ(rgba_at(image, x, 0), (std::array{255, 255, 255, 0}));
    EXPECT_EQ(rgba_at(image, x, 1), (std::array{x, 10, 20, x == 0 ? 254 : 255}));
    EXPECT_EQ(rgba_at(image, x, 2), (std::array{4 + x, 10, 20, 255}));
    EXPECT_EQ(rgba_at(image, x, 3), (std::array{255, 255, 255, 0}));
  }
}

TEST(PaddedToSquare, LeavesASquareAloneAndRefusesAStripThatWouldFillTheMemory) {
  const Image image = numbered(3, 3, 0);
  EXPECT_EQ(padded_to_square(image).rgba, image.rgba);
  EXPECT_THROW(static_cast<void>(padded_to_square(numbered(16384, 2, 255))), InputError);
}

}  // namespace
}  // namespace p2mpp
