#pragma once

#include <string>
#include <string_view>

#include "io/image/image_file.h"
#include "p2mpp/sample.h"

namespace p2mpp {

[[nodiscard]] bool is_jpeg(std::string_view bytes);

/// Decodes a JPEG with libjpeg-turbo and applies its EXIF orientation, unless `upright` is false. Accepts and throws as
/// decode_image().
[[nodiscard]] Image decode_jpeg(std::string_view bytes, const std::string& name, bool upright = true);

/// The size of a JPEG after its EXIF orientation, from its header. Throws as decode_image().
[[nodiscard]] ImageSize jpeg_size(std::string_view bytes, const std::string& name);

/// Whether an APP1 segment of a JPEG is EXIF.
[[nodiscard]] bool is_exif(std::string_view segment);

/// The orientation tag of an EXIF segment, 1 (upright) to 8; 1 if there is none or it is invalid.
/// Source: CIPA DC-008 (Exif 2.3), tag 0x0112 of the first image file directory.
[[nodiscard]] int exif_orientation(std::string_view segment);

/// Rotates and mirrors an image of a given orientation so that it is upright.
[[nodiscard]] Image turned_upright(Image image, int orientation);

}  // namespace p2mpp
