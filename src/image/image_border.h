#pragma once

#include <cstdint>
#include <vector>

#include "p2mpp/image.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// The pixels of a frame along the border, a hundredth of the image's shorter side wide.
[[nodiscard]] std::vector<const std::uint8_t*> border_pixels(const Image& image);

/// Of each channel.
[[nodiscard]] Colour median_colour(const std::vector<const std::uint8_t*>& pixels);

/// The largest of the channels'.
[[nodiscard]] int difference(const std::uint8_t* pixel, const Colour& colour);

}  // namespace p2mpp
