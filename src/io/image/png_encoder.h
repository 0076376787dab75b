#pragma once

#include <string>

#include "p2mpp/sample.h"

namespace p2mpp {

/// The bytes of an 8-bit PNG: RGB where every pixel is opaque, else RGBA. Throws Error for an image without pixels or
/// whose bytes are not width*height*4.
[[nodiscard]] std::string encode_png(const Image& image);

}  // namespace p2mpp
