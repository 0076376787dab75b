#pragma once

#include <cstdint>

namespace p2mpp {

/// The luminance of an 8-bit pixel, 0 to 255: the luma of ITU-R BT.601, rounded.
[[nodiscard]] inline std::uint8_t luminance(const std::uint8_t* rgb) {
  return static_cast<std::uint8_t>((299 * rgb[0] + 587 * rgb[1] + 114 * rgb[2] + 500) / 1000);
}

/// Its colour, 128 if it is grey: the blue and the red difference of ITU-R BT.601, rounded.
[[nodiscard]] inline std::uint8_t blue_difference(const std::uint8_t* rgb) {
  return static_cast<std::uint8_t>((128'000 - 169 * rgb[0] - 331 * rgb[1] + 499 * rgb[2] + 500) / 1000);
}
[[nodiscard]] inline std::uint8_t red_difference(const std::uint8_t* rgb) {
  return static_cast<std::uint8_t>((128'000 + 499 * rgb[0] - 418 * rgb[1] - 81 * rgb[2] + 500) / 1000);
}

/// A pixel of a picture without transparency or another known background is the object's if one of its colours is below
/// this. A JPEG's white is not quite 255.
inline constexpr std::uint8_t kNotWhite = 250;

}  // namespace p2mpp
