#pragma once

#include <cstdint>

#include "capture/capture.h"
#include "capture/masks.h"
#include "p2mpp/sample.h"

namespace p2mpp {

struct DecodedPhotograph {
  Photograph photograph;  ///< its lens refers to the image's pixels
  Image image;
};

/// Decodes a photograph. Where an EXIF orientation would turn it, it is left as stored if that has the shape to which
/// the lens refers (structure from motion ignores orientations), unless Photograph::upright is set. A file of another
/// size and the same shape scales the lens. Throws InputError naming the file if it has another shape, or as
/// read_image().
[[nodiscard]] DecodedPhotograph decode(const Photograph& photograph);

/// The variance of the Laplacian of the brightness (0 to 255) inside the mask, of the photograph reduced so that the
/// mask's box has about 256 pixels: smaller than for others of the same object if it is out of focus or shaken.
[[nodiscard]] double sharpness(const Image& image, const Mask& mask, const MaskFacts& facts);

/// A hash of all pixels.
[[nodiscard]] std::uint64_t pixel_hash(const Image& image);

}  // namespace p2mpp
