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

namespace {

constexpr std::size_t kSteps = 4096;  ///< of linear values, as srgb_from_linear() has them

const std::array<std::uint8_t, kSteps>& encoded() {
  static const auto table = [] {
    std::array<std::uint8_t, kSteps> values{};
    for (std::size_t i = 0; i < kSteps; ++i) values[i] = srgb_from_linear(static_cast<float>(i) / (kSteps - 1));
    return values;
  }();
  return table;
}

/// The share of each value in the mixture, in steps.
std::array<float, 256> filter_shares(float share) {
  std::array<float, 256> table{};
  for (std::size_t i = 0; i < table.size(); ++i) {
    table[i] = share * (kSteps - 1) * linear_from_srgb(static_cast<std::uint8_t>(i));
  }
  return table;
}

}  // namespace

void blend_srgb(std::span<const std::uint8_t> from, std::span<const std::uint8_t> to, float share,
                std::span<std::uint8_t> result) {
  if (share <= 0 || share >= 1) {
    std::ranges::copy(share <= 0 ? from : to, result.begin());
    return;
  }
  const std::array<std::uint8_t, kSteps>& encode = encoded();
  const std::array<float, 256> of_from = filter_shares(1 - share), of_to = filter_shares(share);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::uint8_t mixed = encode[static_cast<std::size_t>(of_from[from[i]] + of_to[to[i]] + 0.5F)];
    result[i] = from[i] == to[i] ? from[i] : mixed;
  }
}

bool have_one_layout(const MeshTexture& a, const MeshTexture& b) {
  constexpr float kRounding = 1e-5F;
  if (a.image.width != b.image.width || a.image.height != b.image.height || a.corners.size() != b.corners.size()) {
    return false;
  }
  for (std::size_t t = 0; t < a.corners.size(); ++t) {
    for (std::size_t i = 0; i < 3; ++i) {
      if (!((a.corners[t][i] - b.corners[t][i]).cwiseAbs().maxCoeff() <= kRounding)) return false;
    }
  }
  return true;
}

}  // namespace p2mpp
