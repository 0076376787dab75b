#pragma once

#include <filesystem>
#include <string>

#include "cameras/capture.h"
#include "image/border_colours.h"
#include "image/mask_resampling.h"
#include "image/object_mask.h"

namespace p2mpp {

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
