#include "colours/texture_lookup.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "image/srgb.h"

namespace p2mpp {
namespace {

const std::uint8_t* texel_of(const Image& image, int row, int column) {
  return &image.rgba[4 * (static_cast<std::size_t>(row) * static_cast<std::size_t>(image.width) +
                          static_cast<std::size_t>(column))];
}

Image half_of(const Image& image) {
  Image half{std::max(1, image.width / 2), std::max(1, image.height / 2), {}};
  half.rgba.reserve(4 * static_cast<std::size_t>(half.width) * static_cast<std::size_t>(half.height));
  for (int row = 0; row < half.height; ++row) {
    for (int column = 0; column < half.width; ++column) {
      std::array<float, 3> sum{};
      for (int k = 0; k < 4; ++k) {
        const std::uint8_t* texel =
            texel_of(image, std::min(2 * row + k / 2, image.height - 1), std::min(2 * column + k % 2, image.width - 1));
        for (std::size_t c = 0; c < 3; ++c) sum[c] += linear_from_srgb(texel[c]) / 4;
      }
      for (const float linear : sum) half.rgba.push_back(srgb_from_linear(linear));
      half.rgba.push_back(255);
    }
  }
  return half;
}

int repeated(int index, int size) { return ((index % size) + size) % size; }

}  // namespace

TextureLookup::TextureLookup(const Image& image) : levels_{image} {
  constexpr int kSmallest = 4;  // below, all charts are mixed
  while (std::min(levels_.back().width, levels_.back().height) > kSmallest) levels_.push_back(half_of(levels_.back()));
}

Eigen::Vector3f TextureLookup::at(const Eigen::Vector2f& uv, float texels) const {
  const float level = std::log2(std::max(texels, 1.0F)) + 0.5F;
  const Image& image = levels_[std::min(static_cast<std::size_t>(level), levels_.size() - 1)];
  constexpr float kFarthest = 1e4F;  // repeats
  const Eigen::Vector2f place = uv.cwiseMax(-kFarthest).cwiseMin(kFarthest);
  const float x = place.x() * static_cast<float>(image.width) - 0.5F;
  const float y = place.y() * static_cast<float>(image.height) - 0.5F;
  const float left = std::floor(x), top = std::floor(y), s = x - left, t = y - top;
  Eigen::Vector3f colour = Eigen::Vector3f::Zero();
  for (int k = 0; k < 4; ++k) {
    const std::uint8_t* texel = texel_of(image, repeated(static_cast<int>(top) + k / 2, image.height),
                                         repeated(static_cast<int>(left) + k % 2, image.width));
    const float weight = (k % 2 == 0 ? 1 - s : s) * (k / 2 == 0 ? 1 - t : t);
    for (int c = 0; c < 3; ++c) colour[c] += weight * linear_from_srgb(texel[c]);
  }
  return colour;
}

}  // namespace p2mpp
