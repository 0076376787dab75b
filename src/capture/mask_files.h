#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "capture/capture.h"
#include "image/object_mask.h"

namespace p2mpp {

/// The mask of a photograph in a folder: its name with any extension that is an image's, with the folders of the
/// photograph's name or without, or with ".png" after the whole name (COLMAP's way). nullopt if there is none.
[[nodiscard]] std::optional<std::filesystem::path> mask_in(const std::filesystem::path& folder,
                                                           const Photograph& photograph);

/// The same. Throws InputError naming the folder and the photograph if there is none.
[[nodiscard]] std::filesystem::path find_mask(const std::filesystem::path& folder, const Photograph& photograph);

/// Uses the masks of a folder masks/ that is where the photographs are or beside their folder images/, and notes it.
/// Nothing is done if the capture names masks itself, or if no file there is a photograph's. Throws as find_mask() if
/// only some photographs have one.
void use_masks_beside(Capture& capture);

/// The object's mask in a photograph: that of its mask file or, if `mask_file` is empty, object_mask(). Of a file, the
/// alpha counts or, if every pixel is opaque, its grey values. Soft values are kept; if none exceeds 127, every value
/// above 0 is the object. A mask of another size is resized. Throws InputError naming the file if it has another aspect
/// ratio, and as object_mask(). Thread-safe.
[[nodiscard]] ObjectMask photograph_mask(const Image& image, const std::string& name,
                                         const std::filesystem::path& mask_file,
                                         const BackgroundColour& background = {});

}  // namespace p2mpp
