#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "p2mpp/image.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// The pixels of a frame along the border, a hundredth of the image's shorter side wide.
[[nodiscard]] std::vector<const std::uint8_t*> border_pixels(const Image& image);

/// Of each channel.
[[nodiscard]] Colour median_colour(const std::vector<const std::uint8_t*>& pixels);

/// The largest of the channels'.
[[nodiscard]] inline int colour_difference(const std::uint8_t* pixel, const Colour& colour) {
  const int red = std::abs(pixel[0] - colour[0]), green = std::abs(pixel[1] - colour[1]);
  return std::max(std::max(red, green), std::abs(pixel[2] - colour[2]));
}

}  // namespace p2mpp
