#include "image/srgb.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace p2mpp {
namespace {

float encode(float linear) {
  return linear <= 0.0031308F ? 12.92F * linear : 1.055F * std::pow(linear, 1 / 2.4F) - 0.055F;
}

float decode(int srgb) {
  const float value = static_cast<float>(srgb) / 255;
  return value <= 0.04045F ? value / 12.92F : std::pow((value + 0.055F) / 1.055F, 2.4F);
}

// pow() for each pixel would take longer than what pixels are made from. Linear values are in steps of 1/4095.
std::array<std::uint8_t, 4096> make_encoding() {
  std::array<std::uint8_t, 4096> table;
  for (std::size_t i = 0; i < table.size(); ++i) {
    table[i] = static_cast<std::uint8_t>(std::lround(255 * encode(static_cast<float>(i) / 4095)));
  }
  return table;
}

std::array<float, 256> make_decoding() {
  std::array<float, 256> table;
  for (int i = 0; i < 256; ++i) table[static_cast<std::size_t>(i)] = decode(i);
  return table;
}

}  // namespace

std::uint8_t srgb_from_linear(float linear) {
  static const std::array<std::uint8_t, 4096> table = make_encoding();
  return table[static_cast<std::size_t>(std::clamp(linear, 0.0F, 1.0F) * 4095 + 0.5F)];
}

float linear_from_srgb(std::uint8_t srgb) {
  static const std::array<float, 256> table = make_decoding();
  return table[srgb];
}

}  // namespace p2mpp
