#pragma once

#include <span>

#include "p2mpp/sample.h"

namespace p2mpp {

/// What becomes of transparent pixels.
enum class AlphaRule {
  kTransparentToWhite,  ///< alpha == 0 becomes white, everything else keeps its colour (the original)
  kBlendOnWhite,        ///< colour * alpha + white * (1 - alpha), rounded to 8 bits as PIL does
};

/// From a decoded image to the network's input: composites, resizes to 224x224 (bilinear, half-pixel centres), divides
/// by 255. Bit for bit what cv2.resize gives for 8-bit images (OpenCV 4 and 5), whatever the size. planes: [3,224,224],
/// blue, green, red; 3*224*224 floats owned by the caller. Throws InputError for an image without pixels or whose bytes
/// are not width*height*4.
void preprocess(const Image& image, AlphaRule rule, std::span<float> planes);

}  // namespace p2mpp
