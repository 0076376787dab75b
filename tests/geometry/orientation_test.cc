#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "geometry/intersection/triangle_intersection.h"

namespace p2mpp {
namespace {

using Integers = std::array<std::int32_t, 3>;
__extension__ typedef __int128 Wide;  // of 128 bits

int exact_sign(Wide number) { return number > 0 ? 1 : number < 0 ? -1 : 0; }

/// By integers, which are exact.
int expected_side(const std::array<Integers, 4>& points) {
  std::array<std::array<std::int64_t, 3>, 3> ways{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < 3; ++k) ways[i][k] = std::int64_t{points[i + 1][k]} - points[0][k];
  }
  Wide volume = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t y = (k + 1) % 3, z = (k + 2) % 3;
    volume += static_cast<Wide>(ways[2][k]) * (ways[0][y] * ways[1][z] - ways[0][z] * ways[1][y]);
  }
  return exact_sign(volume);
}

/// Floats hold integers of up to 24 bits, and their products with powers of two.
Eigen::Vector3f point_of(const Integers& integers, int exponent) {
  Eigen::Vector3f point;
  for (std::size_t k = 0; k < 3; ++k) {
    point[static_cast<int>(k)] = std::ldexp(static_cast<float>(integers[k]), exponent);
  }
  return point;
}

// Doubles alone get a twelfth of these signs wrong, and two thirds of those next to a line.
TEST(OrientationTest, IsExactNextToAPlane) {
  std::mt19937 random(3);
  std::array<int, 3> counts{};
  for (int i = 0; i < 20'000; ++i) {
    const auto drawn = [&](int most) { return std::uniform_int_distribution(-most, most)(random); };
    constexpr int kLarge = 1 << 21;
    std::array<Integers, 4> points{};
    for (std::size_t k = 0; k < 3; ++k) {
      points[0][k] = drawn(kLarge);
      points[1][k] = points[0][k] + 2 * drawn(kLarge / 4);
      points[2][k] = points[0][k] + 2 * drawn(kLarge / 4);
      points[3][k] = (points[1][k] + points[2][k]) / 2 + (i % 2 == 0 ? 0 : drawn(1));
    }
    const int expected = expected_side(points), exponent = drawn(100);
    std::array<Eigen::Vector3f, 4> at;
    for (std::size_t k = 0; k < 4; ++k) at[k] = point_of(points[k], exponent);
    EXPECT_EQ(OrientedPlane(at[0], at[1], at[2]).signed_side(at[3]), expected);
    EXPECT_EQ(OrientedPlane(at[1], at[0], at[2]).signed_side(at[3]), -expected);
    EXPECT_EQ(OrientedPlane(at[3], at[1], at[2]).signed_side(at[0]), -expected);
    ++counts.at(static_cast<std::size_t>(expected + 1));
  }
  EXPECT_GT(*std::ranges::min_element(counts), 3000);
}

// The volumes that cancel out are 1e60 times as large as the difference.
TEST(OrientationTest, IsExactWhateverTheSizes) {
  const float far = 1e18F, near = 1e-18F;
  const Eigen::Vector3f a(0, 0, 0), b(far, far, 0), c(far, far, far);
  EXPECT_EQ(OrientedPlane(a, b, c).signed_side({far, far, 1}), 0);
  EXPECT_EQ(OrientedPlane(a, b, c).signed_side({near, 0, far}), 1);
  EXPECT_EQ(OrientedPlane(a, b, c).signed_side({0, near, far}), -1);
  EXPECT_EQ(OrientedPlane(a, a, a).signed_side(c), 0);
}

TEST(OrientationTest, IsExactNextToALine) {
  std::mt19937 random(4);
  std::array<int, 3> counts{};
  for (int i = 0; i < 20'000; ++i) {
    const auto drawn = [&](int most) { return std::uniform_int_distribution(-most, most)(random); };
    constexpr int kLarge = 1 << 22;
    constexpr std::int64_t kFarther = std::int64_t{1} << 36;
    const std::array<std::int64_t, 2> way = {drawn(kLarge), drawn(kLarge)}, b = {kFarther * way[0], kFarther * way[1]},
                                      a = {way[0] + drawn(1), way[1] + (i % 2 == 0 ? 0 : drawn(1))};
    const std::array<std::int64_t, 2> c = {2 * b[0], 2 * b[1]};
    const int expected =
        exact_sign(static_cast<Wide>(b[0] - a[0]) * (c[1] - a[1]) - static_cast<Wide>(b[1] - a[1]) * (c[0] - a[0]));
    const auto point = [exponent = drawn(60)](const std::array<std::int64_t, 2>& at) {
      return Eigen::Vector2f(std::ldexp(static_cast<float>(at[0]), exponent),
                             std::ldexp(static_cast<float>(at[1]), exponent));
    };
    EXPECT_EQ(orientation(point(a), point(b), point(c)), expected);
    EXPECT_EQ(orientation(point(c), point(b), point(a)), -expected);
    ++counts.at(static_cast<std::size_t>(expected + 1));
  }
  EXPECT_GT(*std::ranges::min_element(counts), 3000);
}

}  // namespace
}  // namespace p2mpp
