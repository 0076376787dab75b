#include "image/image_border.h"

#include <algorithm>
#include <array>

namespace p2mpp {

std::vector<const std::uint8_t*> border_pixels(const Image& image) {
  const int thickness = std::max(1, std::min(image.width, image.height) / 100);
  std::vector<const std::uint8_t*> pixels;
  for (int row = 0; row < image.height; ++row) {
    const bool whole_row = row < thickness || row >= image.height - thickness;
    for (int column = 0; column < image.width; ++column) {
      if (!whole_row && column == thickness) column = std::max(column, image.width - thickness);
      const auto index = static_cast<std::size_t>(row) * static_cast<std::size_t>(image.width);
      pixels.push_back(&image.rgba[4 * (index + static_cast<std::size_t>(column))]);
    }
  }
  return pixels;
}

Colour median_colour(const std::vector<const std::uint8_t*>& pixels) {
  Colour colour{};
  for (std::size_t channel = 0; channel < 3; ++channel) {
    std::array<std::size_t, 256> counts{};
    for (const std::uint8_t* pixel : pixels) ++counts[pixel[channel]];
    std::size_t sum = 0;
    std::uint8_t value = 0;
    for (sum = counts[0]; 2 * sum < pixels.size(); sum += counts[value]) ++value;
    colour[channel] = value;
  }
  return colour;
}

}  // namespace p2mpp
