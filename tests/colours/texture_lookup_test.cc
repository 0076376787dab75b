#include <gtest/gtest.h>

#include "colours/mesh_colours.h"
#include "image/srgb.h"

namespace p2mpp {
namespace {

/// Black and white columns.
Image stripes() {
  Image image{16, 16, {}};
  for (int i = 0; i < 256; ++i) {
    const std::uint8_t value = i % 2 == 0 ? 0 : 255;
    image.rgba.insert(image.rgba.end(), {value, value, value, 255});
  }
  return image;
}

TEST(TextureLookup, HasTheTexelsAtTheirCentresAndMeansFromAfar) {
  const TextureLookup lookup(stripes());
  EXPECT_EQ(lookup.at({0.5F / 16, 0.5F / 16}, 1).x(), 0);
  EXPECT_EQ(lookup.at({1.5F / 16, 9.5F / 16}, 1).x(), 1);
  EXPECT_NEAR(lookup.at({1.0F / 16, 0.3F}, 1).x(), 0.5F, 1e-6F);
  // Means in linear light from afar.
  EXPECT_NEAR(lookup.at({0.1F, 0.7F}, 2).x(), 0.5F, 0.01F);
  EXPECT_NEAR(lookup.at({0.1F, 0.7F}, 1e9F).x(), 0.5F, 0.01F);
  // Repeated.
  EXPECT_EQ(lookup.at({17.5F / 16, -3 + 0.5F / 16}, 1).x(), 1);
}

}  // namespace
}  // namespace p2mpp
