#pragma once

#include <span>

#include "model/sampling_rules.h"
#include "p2mpp/sample.h"

namespace p2mpp {

/// From a decoded image to the network's input: composites, resizes to 224x224 (bilinear, half-pixel centres), divides
/// by 255. Bit for bit what cv2.resize gives for 8-bit images (OpenCV 4 and 5), whatever the size. planes: [3,224,224],
/// blue, green, red; 3*224*224 floats owned by the caller. Throws InputError for an image without pixels or whose bytes
/// are not width*height*4.
void preprocess(const Image& image, AlphaRule rule, std::span<float> planes);

}  // namespace p2mpp
