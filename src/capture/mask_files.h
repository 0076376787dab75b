#pragma once

#include <filesystem>
#include <optional>

#include "capture/capture.h"

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

}  // namespace p2mpp
