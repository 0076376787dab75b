#pragma once

#include <string>
#include <string_view>

#include "p2mpp/image.h"

namespace p2mpp {

/// The formats that a mesh's texture is written in.
enum class PictureFormat { kPng, kJpeg };

/// "png", "jpeg"
[[nodiscard]] std::string_view to_string(PictureFormat format);

/// The format of a name. Throws UsageError if there is none.
[[nodiscard]] PictureFormat picture_format(std::string_view name);

/// ".png", ".jpg"
[[nodiscard]] std::string_view file_extension(PictureFormat format);

/// "image/png", "image/jpeg"
[[nodiscard]] std::string_view media_type_of(PictureFormat format);

/// Encodes a picture. Throws Error as encode_png() and encode_jpeg().
[[nodiscard]] std::string encode_picture(const Image& image, PictureFormat format);

inline constexpr int kJpegQuality = 92;

/// Encodes a JPEG with libjpeg-turbo, with colours at full resolution and without alpha. Throws Error if the image has
/// no pixels or its data are not width*height*4 bytes.
[[nodiscard]] std::string encode_jpeg(const Image& image, int quality = kJpegQuality);

}  // namespace p2mpp
