#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "io/image/image_file.h"
#include "p2mpp/sample.h"

namespace p2mpp {

[[nodiscard]] bool is_jpeg(std::string_view bytes);

/// Decodes a JPEG with libjpeg-turbo and applies its EXIF orientation, unless `upright` is false. Accepts, reduces and
/// throws as decode_image().
[[nodiscard]] Image decode_jpeg(std::string_view bytes, const std::string& name, bool upright = true,
                                int most_side = kMaxImageSide);

/// The size of a JPEG after its EXIF orientation, from its header. Throws as decode_image().
[[nodiscard]] ImageSize jpeg_size(std::string_view bytes, const std::string& name);

/// Whether an APP1 segment of a JPEG is EXIF.
[[nodiscard]] bool is_exif(std::string_view segment);

/// The orientation tag of an EXIF segment, 1 (upright) to 8; 1 if there is none or it is invalid.
/// Source: CIPA DC-008 (Exif 2.3), tag 0x0112 of the first image file directory.
[[nodiscard]] int exif_orientation(std::string_view segment);

/// The focal length that EXIF gives for an image of this stored size. The source is the focal length for 35 mm film (by
/// the diagonal), or else the lens' focal length and the sensor's resolution. nullopt if EXIF has neither, or if the
/// field of view would be below 5 or above 150 degrees. Source: CIPA DC-008 (Exif 2.3), tags 0xA405, 0x920A, 0xA20E,
/// 0xA210, 0xA002.
[[nodiscard]] std::optional<FocalLength> exif_focal_length(std::string_view segment, const ImageSize& stored);

/// The same, of a JPEG. Throws as decode_image().
[[nodiscard]] std::optional<FocalLength> jpeg_focal_length(std::string_view bytes, const std::string& name);

/// Rotates and mirrors an image of a given orientation so that it is upright.
[[nodiscard]] Image turned_upright(Image image, int orientation);

[[nodiscard]] bool is_webp(std::string_view bytes);

/// Decodes a still WebP, lossy or lossless, with libwebp. Accepts, reduces and throws as decode_image(); EXIF is
/// ignored.
[[nodiscard]] Image decode_webp(std::string_view bytes, const std::string& name, int most_side = kMaxImageSide);

/// The size of a WebP from its header. Throws as decode_image().
[[nodiscard]] ImageSize webp_size(std::string_view bytes, const std::string& name);

[[nodiscard]] bool is_bmp(std::string_view bytes);

/// Decodes a BMP of Windows without compression: 1, 4 or 8 bits with a palette, 24 or 32. Accepts, reduces and throws
/// as decode_image().
[[nodiscard]] Image decode_bmp(std::string_view bytes, const std::string& name, int most_side = kMaxImageSide);

/// The size of a BMP from its header. Throws as decode_image().
[[nodiscard]] ImageSize bmp_size(std::string_view bytes, const std::string& name);

[[nodiscard]] bool is_heic(std::string_view bytes);

/// The size of a HEIC, which p2mpp does not decode, from its header: the largest that it declares for a part of it.
/// Throws InputError if it declares none, or one beyond the limits.
[[nodiscard]] ImageSize heic_size(std::string_view bytes, const std::string& name);

}  // namespace p2mpp
