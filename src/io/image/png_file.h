#pragma once

#include <string>
#include <string_view>

#include "p2mpp/sample.h"

namespace p2mpp {

[[nodiscard]] bool is_png(std::string_view bytes);

/// Decodes a whole PNG with libspng; see decode_image() for what is accepted and thrown.
[[nodiscard]] Image decode_png(std::string_view bytes, const std::string& name);

/// The bytes of an 8-bit PNG: RGB where every pixel is opaque, else RGBA. Throws Error for an image without pixels or
/// whose bytes are not width*height*4.
[[nodiscard]] std::string encode_png(const Image& image);

}  // namespace p2mpp
