#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "p2mpp/sample.h"

namespace p2mpp {

/// The largest accepted image: sides in pixels and area. Larger ones are refused from their header
/// alone.
inline constexpr int kMaxImageSide = 16384;
inline constexpr std::int64_t kMaxImagePixels = 64 << 20;
inline constexpr int kMinImageSide = 2;  ///< pixels: a 1x1 image shows nothing

/// Reads a PNG (every bit depth and colour type, palette, interlaced; of 16 bits the upper 8 are
/// kept; no colour management) or a JPEG (opaque; gray or RGB; turned as its EXIF orientation says,
/// as every viewer shows it). The format is told by the bytes, not by the name. Throws InputError
/// naming the file for anything else: missing, damaged or cut off anywhere, too large, too small,
/// CMYK. Bytes after the image's end are ignored.
[[nodiscard]] Image read_image(const std::filesystem::path& path);

/// The same from memory; `name` stands in messages.
[[nodiscard]] Image decode_image(std::string_view bytes, const std::string& name);

/// Throws InputError naming the file unless a declared size lies within the limits of image_file.h.
void check_image_size(std::int64_t width, std::int64_t height, const std::string& name);

/// Throws InputError if a file of byte_count bytes is too short for the pixels that it declares: no
/// encoder gets below least_bytes. Called before memory is taken for the pixels.
void check_encoded_size(std::int64_t width, std::int64_t height, std::uint64_t least_bytes, std::uint64_t byte_count,
                        std::string_view format, const std::string& name);

}  // namespace p2mpp
