#include "image/srgb.h"

#include <gtest/gtest.h>

namespace p2mpp {
namespace {

TEST(Srgb, IsTheStandards) {
  EXPECT_EQ(srgb_from_linear(0), 0);
  EXPECT_EQ(srgb_from_linear(1), 255);
  EXPECT_EQ(srgb_from_linear(7), 255);
  EXPECT_EQ(srgb_from_linear(-1), 0);
  EXPECT_NEAR(srgb_from_linear(0.2140F), 127.5, 0.6);
  for (int value = 8; value < 256; ++value) {
    EXPECT_NEAR(srgb_from_linear(linear_from_srgb(static_cast<std::uint8_t>(value))), value, 1);
  }
}

}  // namespace
}  // namespace p2mpp
