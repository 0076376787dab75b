#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "cameras/capture.h"
#include "image/mask_facts.h"
#include "io/image/pixel_budget.h"
#include "p2mpp/sample.h"

namespace p2mpp {

struct DecodedPhotograph {
  std::shared_ptr<void> share;  ///< of a budget
  Photograph photograph;        ///< its lens refers to the image's pixels
  Image image;
};

/// Decodes a photograph. Its EXIF orientation is applied if Photograph::upright is set or if the stored image does not
/// have the aspect ratio to which the lens refers (structure from motion ignores orientations). If the file has another
/// size with the same aspect ratio, the lens is scaled. Throws InputError naming the file if it has another aspect
/// ratio, or as read_image() and PixelBudget::take().
[[nodiscard]] DecodedPhotograph decode(const Photograph& photograph, PixelBudget& budget);

/// The variance of the Laplacian of the brightness (0 to 255) inside the mask. The photograph is reduced so that the
/// mask's box has about 256 pixels. A photograph that is out of focus or shaken has a smaller variance than others of
/// the same object.
[[nodiscard]] double sharpness(const Image& image, const Mask& mask, const MaskFacts& facts);

inline constexpr std::size_t kThumbnailSide = 16;

/// A picture of kThumbnailSide x kThumbnailSide pixels on white: red, green, blue.
using Thumbnail = std::array<float, kThumbnailSide * kThumbnailSide * 3>;
[[nodiscard]] Thumbnail thumbnail(const Image& image);

/// The mean difference of two thumbnails' colours, 0 to 255, where at least one is not white. 0 if both are all white.
[[nodiscard]] double thumbnail_difference(const Thumbnail& a, const Thumbnail& b);

/// A hash of all pixels.
[[nodiscard]] std::uint64_t pixel_hash(const Image& image);

}  // namespace p2mpp
