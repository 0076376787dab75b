#pragma once

#include <string>
#include <string_view>

#include "p2mpp/sample.h"

namespace p2mpp {

[[nodiscard]] bool is_jpeg(std::string_view bytes);

/// Decodes a whole JPEG with libjpeg-turbo and turns it as its EXIF orientation says; see
/// decode_image() for what is accepted and thrown.
[[nodiscard]] Image decode_jpeg(std::string_view bytes, const std::string& name);

/// Whether an APP1 segment of a JPEG is EXIF.
[[nodiscard]] bool is_exif(std::string_view segment);

/// The orientation tag of an EXIF segment, 1 (upright) to 8; 1 for anything that does not hold one.
/// Source: CIPA DC-008 (Exif 2.3), tag 0x0112 of the first image file directory.
[[nodiscard]] int exif_orientation(std::string_view segment);

/// Turns and mirrors an image so that it is upright, given the orientation it was stored in.
[[nodiscard]] Image turned_upright(Image image, int orientation);

}  // namespace p2mpp
