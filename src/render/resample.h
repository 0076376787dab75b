#pragma once

#include <vector>

#include "p2mpp/sample.h"

namespace p2mpp {

/// An image in another size: the mean of what a pixel covers where that is smaller, bilinear where it is larger.
/// Colours count by their alpha. Expects an image and positive sizes.
[[nodiscard]] Image resampled(const Image& image, int width, int height);

/// The image on white: opaque.
[[nodiscard]] Image on_white(const Image& image);

/// Images of one height from left to right, `gap` white pixels between them. Expects at least one.
[[nodiscard]] Image side_by_side(const std::vector<Image>& images, int gap);

}  // namespace p2mpp
