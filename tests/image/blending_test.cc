#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "image/srgb.h"

namespace p2mpp {
namespace {

TEST(BlendSrgb, MixesLightAndEndsExactly) {
  std::vector<std::uint8_t> from(256), to(256), result(256);
  for (std::size_t i = 0; i < 256; ++i) {
    from[i] = static_cast<std::uint8_t>(i);
    to[i] = static_cast<std::uint8_t>(255 - i);
  }
  blend_srgb(from, to, 0, result);
  EXPECT_EQ(result, from);
  blend_srgb(from, to, 1, result);
  EXPECT_EQ(result, to);
  blend_srgb(from, from, 0.3F, result);
  EXPECT_EQ(result, from);
  const std::array<std::uint8_t, 1> black{0}, white{255};
  std::array<std::uint8_t, 1> half{};
  blend_srgb(black, white, 0.5F, half);
  EXPECT_EQ(half[0], 188) << "half of the light";
}

TEST(HaveOneLayout, TakesTheRoundingOfFiles) {
  MeshTexture a{{{Eigen::Vector2f(0, 0), Eigen::Vector2f(1, 0), Eigen::Vector2f(0, 1)}}, {2, 2, {}}}, b = a;
  b.corners[0][1].x() += 1e-6F;
  EXPECT_TRUE(have_one_layout(a, b));
  b.corners[0][1].x() += 1e-3F;
  EXPECT_FALSE(have_one_layout(a, b));
  MeshTexture smaller = a;
  smaller.image.width = 1;
  EXPECT_FALSE(have_one_layout(a, smaller));
}

}  // namespace
}  // namespace p2mpp
