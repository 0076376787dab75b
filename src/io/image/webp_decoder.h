#pragma once

#include <string>
#include <string_view>

#include "io/image/image_file.h"
#include "p2mpp/sample.h"

namespace p2mpp {

[[nodiscard]] bool is_webp(std::string_view bytes);

/// Decodes a still WebP, lossy or lossless, with libwebp. Accepts, reduces and throws as decode_image(); EXIF is
/// ignored.
[[nodiscard]] Image decode_webp(std::string_view bytes, const std::string& name, int most_side = kMaxImageSide);

/// The size of a WebP from its header. Throws as decode_image().
[[nodiscard]] ImageSize webp_size(std::string_view bytes, const std::string& name);

}  // namespace p2mpp
