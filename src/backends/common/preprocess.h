#pragma once

#include <span>

#include "backends/common/resize.h"
#include "model/sampling_rules.h"
#include "p2mpp/sample.h"

namespace p2mpp {

/// Converts a decoded image to the network's input: composites it on white, resizes it to 224x224 (bilinear, half-pixel
/// centres) and divides by 255. Bit-identical to cv2.resize on 8-bit images (OpenCV 4 and 5) for every size. planes:
/// [3,224,224] floats in the order blue, green, red, or [4,224,224] with the object's mask (see mask_source()), which
/// is resized as the colours are; owned by the caller. Throws InputError if the image has no pixels or its data is not
/// width*height*4 bytes. Thread-safe.
void preprocess(const Image& image, const ImageRules& rules, std::span<float> planes);

/// The source of an image's mask: its alpha or, if every pixel is opaque, the pixels that are not white. None for
/// networks that read three channels.
[[nodiscard]] MaskSource mask_source(const Image& image, const ImageRules& rules);

/// The map of one view, [kResizedSide, kResizedSide, kEvidenceChannels], from the mask in preprocess()'s fourth plane:
/// see mask_evidence.h.
void find_evidence(std::span<const float> mask, std::span<float> evidence);

}  // namespace p2mpp
