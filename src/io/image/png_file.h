#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "io/image/image_file.h"
#include "p2mpp/sample.h"

namespace p2mpp {

[[nodiscard]] bool is_png(std::string_view bytes);

/// Decodes a PNG with libspng. Accepts, reduces and throws as decode_image().
[[nodiscard]] Image decode_png(std::string_view bytes, const std::string& name, int most_side = kMaxImageSide);

/// The labels of a grey PNG of 16 bits whose samples are all below 256, which decode_png() would cut to 0: a grey image
/// of white where the sample is not 0. nullopt for any other image. Throws as decode_image().
[[nodiscard]] std::optional<Image> decode_png_labels(std::string_view bytes, const std::string& name);

/// The size of a PNG from its header. Throws as decode_image().
[[nodiscard]] ImageSize png_size(std::string_view bytes, const std::string& name);

/// Throws InputError if a chunk before the pixels is damaged or appears twice.
void check_png_chunks(std::string_view bytes, const std::string& name);

/// Encodes an 8-bit PNG: RGB if every pixel is opaque, else RGBA. Throws Error if the image has no pixels or its data
/// are not width*height*4 bytes.
[[nodiscard]] std::string encode_png(const Image& image);

}  // namespace p2mpp
