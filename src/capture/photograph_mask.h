#pragma once

#include <filesystem>
#include <string>

#include "image/border_colours.h"
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

}  // namespace p2mpp
