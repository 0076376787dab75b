#pragma once

#include <span>

#include "p2mpp/sample.h"

namespace p2mpp {

/// What becomes of transparent pixels.
enum class AlphaRule {
  kTransparentToWhite,  ///< alpha == 0 becomes white, everything else keeps its colour (the
                        ///< original)
  kBlendOnWhite,        ///< colour * alpha + white * (1 - alpha), rounded to 8 bits as PIL does
};

/// From a decoded image to the network's input: composites, resizes to 224x224 (bilinear,
/// half-pixel centres, rounded to 8 bits as cv2.resize does), divides by 255. planes: [3,224,224],
/// blue, green, red; 3*224*224 floats owned by the caller.
void preprocess(const Image& image, AlphaRule rule, std::span<float> planes);

}  // namespace p2mpp
