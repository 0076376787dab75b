#include "image/border_colours.h"

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

namespace {

constexpr int kStep = 16;              ///< grey levels
constexpr double kLeastShare = 0.002;  ///< of a border's pixels that a colour must have
constexpr double kMost = 0.6;          ///< of the photographs
constexpr int kEven = 24;              ///< grey levels by which a plain background differs from its median
constexpr double kUnevenShare = 0.01;  ///< of a border's pixels that differ by more
constexpr std::uint32_t kFewest = 5;   ///< photographs: fewer may all show the object at the border

}  // namespace

void BorderColours::add(const Image& image) {
  const std::vector<const std::uint8_t*> border = border_pixels(image);
  const Colour median = median_colour(border);
  std::array<std::uint32_t, kSteps * kSteps * kSteps> counts{};
  std::size_t uneven = 0;
  for (const std::uint8_t* pixel : border) {
    ++counts[static_cast<std::size_t>((pixel[0] / kStep * kSteps + pixel[1] / kStep) * kSteps + pixel[2] / kStep)];
    uneven += colour_difference(pixel, median) > kEven ? 1 : 0;
  }
  const double least = kLeastShare * static_cast<double>(border.size());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0 && counts[i] >= least) ++photographs_[i];
  }
  ++count_;
  if (static_cast<double>(uneven) > kUnevenShare * static_cast<double>(border.size())) ++uneven_;
}

bool BorderColours::help() const { return count_ >= kFewest && uneven_ >= kMost * count_; }

bool BorderColours::is_shared(int red, int green, int blue) const {
  if (std::min({red, green, blue}) < 0 || std::max({red, green, blue}) >= kSteps) return false;
  return photographs_[static_cast<std::size_t>((red * kSteps + green) * kSteps + blue)] >= kMost * count_;
}

bool BorderColours::contain(const std::uint8_t* pixel) const {
  for (int red = -1; red <= 1; ++red) {
    for (int green = -1; green <= 1; ++green) {
      for (int blue = -1; blue <= 1; ++blue) {
        if (is_shared(pixel[0] / kStep + red, pixel[1] / kStep + green, pixel[2] / kStep + blue)) return true;
      }
    }
  }
  return false;
}

}  // namespace p2mpp
