#pragma once

#include <vector>

#include "p2mpp/sample.h"

namespace p2mpp {

/// Scales an image: by area averaging to a smaller size, bilinearly to a larger one. Colours are weighted by alpha.
/// Precondition: the image is not empty and sizes are positive.
[[nodiscard]] Image resampled(const Image& image, int width, int height);

/// The image blended on white, opaque.
[[nodiscard]] Image on_white(const Image& image);

/// Images from left to right with `gap` white pixels between them. Precondition: at least one image, equal heights.
[[nodiscard]] Image side_by_side(const std::vector<Image>& images, int gap);

}  // namespace p2mpp
