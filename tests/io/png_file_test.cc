#include "io/image/png_file.h"

#include <gtest/gtest.h>

#include "io/image/image_file.h"
#include "p2mpp/error.h"
#include "support/pixels.h"

namespace p2mpp {
namespace {

TEST(PngEncoder, GivesTheSamePixelsBack) {
  for (const bool opaque : {true, false}) {
    const Image image = random_image(37, 19, opaque);
    const Image back = decode_image(encode_png(image), "a.png");
    EXPECT_EQ(back.width, 37);
    EXPECT_EQ(back.height, 19);
    EXPECT_EQ(back.rgba, image.rgba);
  }
  constexpr std::size_t kColourType = 25;  // of the header
  EXPECT_EQ(encode_png(random_image(5, 5, true))[kColourType], 2);
  EXPECT_EQ(encode_png(random_image(5, 5, false))[kColourType], 6);
  EXPECT_THROW(static_cast<void>(encode_png({0, 5, {}})), Error);
  EXPECT_THROW(static_cast<void>(encode_png({2, 2, std::vector<std::uint8_t>(15)})), Error);
}

}  // namespace
}  // namespace p2mpp
