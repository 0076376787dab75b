#include "render/panels.h"

#include <algorithm>
#include <cmath>

namespace p2mpp {
namespace {

std::uint8_t to_byte(float value) { return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0F, 255.0F))); }

}  // namespace

Image on_white(const Image& image) {
  Image result = image;
  for (std::size_t i = 0; i < result.rgba.size(); i += 4) {
    const float alpha = static_cast<float>(result.rgba[i + 3]) / 255;
    for (std::size_t channel = 0; channel < 3; ++channel) {
      result.rgba[i + channel] = to_byte(static_cast<float>(result.rgba[i + channel]) * alpha + 255 * (1 - alpha));
    }
    result.rgba[i + 3] = 255;
  }
  return result;
}

Image side_by_side(const std::vector<Image>& images, int gap) {
  const std::size_t rows = (images.size() + kMostSideBySide - 1) / kMostSideBySide;
  const int height = images.front().height;
  Image result{-gap, static_cast<int>(rows) * (height + gap) - gap, {}};
  for (std::size_t i = 0; i < std::min(images.size(), kMostSideBySide); ++i) result.width += images[i].width + gap;
  result.rgba.assign(std::size_t{4} * static_cast<std::size_t>(result.width) * static_cast<std::size_t>(result.height),
                     255);
  int left = 0;
  for (std::size_t i = 0; i < images.size(); ++i) {
    const Image& image = images[i];
    if (i % kMostSideBySide == 0) left = 0;
    const int top = static_cast<int>(i / kMostSideBySide) * (height + gap);
    for (int row = 0; row < image.height; ++row) {
      const auto from = image.rgba.begin() + std::ptrdiff_t{4} * row * image.width;
      std::copy(from, from + std::ptrdiff_t{4} * image.width,
                result.rgba.begin() + std::ptrdiff_t{4} * ((top + row) * result.width + left));
    }
    left += image.width + gap;
  }
  return result;
}

Image stacked(const Image& upper, const Image& lower, int gap) {
  Image result{upper.width, upper.height + gap + lower.height, upper.rgba};
  result.rgba.resize(result.rgba.size() + std::size_t{4} * static_cast<std::size_t>(gap * result.width), 255);
  result.rgba.insert(result.rgba.end(), lower.rgba.begin(), lower.rgba.end());
  return result;
}

}  // namespace p2mpp
