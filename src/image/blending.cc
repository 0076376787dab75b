#include "image/blending.h"

#include <algorithm>
#include <array>

#include "image/srgb.h"

namespace p2mpp {
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
std::array<float, 256> shares_of(float share) {
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
  const std::array<float, 256> of_from = shares_of(1 - share), of_to = shares_of(share);
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
