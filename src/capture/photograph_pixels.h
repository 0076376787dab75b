#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "cameras/capture.h"
#include "image/border_colours.h"
#include "image/mask_facts.h"
#include "image/mask_resampling.h"
#include "image/object_mask.h"
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

/// The object's mask in a photograph: that of its mask file or, if `mask_file` is empty, object_mask(), with the
/// colours of all photographs' borders in `shared`. Of a file, the alpha counts or, if every pixel is opaque, its grey
/// values. Soft values are kept; if none exceeds 127, every value above 0 is the object. A mask of another size is
/// resized. Throws InputError naming the file if it has another aspect ratio, and as object_mask(). Thread-safe.
[[nodiscard]] ObjectMask photograph_mask(const Image& image, const std::string& name,
                                         const std::filesystem::path& mask_file,
                                         const BackgroundColour& background = {},
                                         const BorderColours* shared = nullptr);

/// The view of a photograph's mask in the photograph's source: see resampled_mask(). Throws InputError naming the
/// photograph.
[[nodiscard]] MaskView resampled_mask(const Photograph& photograph, const Mask& mask, const MaskFacts& facts,
                                      int size = kMaskViewSize, const Image* image = nullptr);

}  // namespace p2mpp
