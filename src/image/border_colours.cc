#include "image/border_colours.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "image/image_border.h"

namespace p2mpp {
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
