#pragma once

#include <string>
#include <string_view>

#include "p2mpp/sample.h"

namespace p2mpp {

[[nodiscard]] bool is_jpeg(std::string_view bytes);

/// Decodes a whole JPEG with libjpeg-turbo and turns it as its EXIF orientation says; see
/// decode_image() for what is accepted and thrown.
[[nodiscard]] Image decode_jpeg(std::string_view bytes, const std::string& name);

}  // namespace p2mpp
