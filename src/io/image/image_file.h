#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "image/resize.h"
#include "p2mpp/export.h"
#include "p2mpp/image.h"

namespace p2mpp {

/// Limits of an image. Larger images are refused after reading their header.
inline constexpr int kMaxImageSide = 16384;
inline constexpr std::int64_t kMaxImagePixels = 64 << 20;

/// The longer side of a view with a camera row. A larger image is reduced while it is read: the network sees 224x224.
inline constexpr int kMaxViewSide = 2048;

/// Reads a PNG (all bit depths and colour types, interlaced or not; 16-bit channels are truncated to 8; no colour
/// management), a JPEG (gray or RGB; rotated according to its EXIF orientation), a still WebP or a BMP. The format is
/// recognised by the content, not by the name. Throws InputError naming the file if it is missing, damaged, truncated,
/// too large, too small, CMYK or of another format. The message names the formats that cameras write. Bytes after the
/// image's end are ignored.
[[nodiscard]] P2MPP_EXPORT Image read_image(const std::filesystem::path& path);

enum class Orientation { kUpright, kAsStored };

/// The same from memory; `name` stands in messages. kAsStored: a JPEG's EXIF orientation is ignored. An image whose
/// longer side has more than most_side pixels is reduced to that while it is read (see reduced_size()): each pixel is
/// the mean over its area, with colours weighted by alpha. PNGs that are not interlaced, JPEGs, lossy WebPs and BMPs
/// are read row by row and are never in memory as a whole. Only the coefficients of a progressive JPEG are. An
/// image with fewer than least_side pixels a side is refused.
[[nodiscard]] Image decode_image(std::string_view bytes, const std::string& name,
                                 Orientation orientation = Orientation::kUpright, int most_side = kMaxImageSide,
                                 int least_side = kMinImageSide);

/// read_image(), reduced as decode_image() does.
[[nodiscard]] Image read_reduced_image(const std::filesystem::path& path, int most_side);

/// The size that read_image() would give, from the header alone. Throws InputError as read_image(), as far as the
/// header shows it.
[[nodiscard]] ImageSize read_image_size(const std::filesystem::path& path);
[[nodiscard]] ImageSize image_size(std::string_view bytes, const std::string& name, int least_side = kMinImageSide);

/// The same of a photograph for a program that also reads HEIC.
[[nodiscard]] ImageSize photograph_size(std::string_view bytes, const std::string& name);

/// A focal length that a camera wrote into a photograph.
struct FocalLength {
  double pixels = 0;   ///< of the stored image
  std::string origin;  ///< for messages: "26 mm (35 mm equivalent)"
};

/// What the header of a photograph says.
struct PhotographHeader {
  ImageSize size;
  std::optional<FocalLength> focal_length;  ///< a JPEG's, if its EXIF has one
};

/// Throws InputError as read_image_size().
[[nodiscard]] PhotographHeader read_photograph_header(const std::filesystem::path& path);

/// Throws InputError naming the file unless the declared size is within the limits of image_file.h; one pixel is.
void check_image_size(std::int64_t width, std::int64_t height, const std::string& name);

/// Throws InputError if a file of byte_count bytes is too short for its declared pixels: no encoder needs fewer than
/// least_bytes. To be called before the pixels are allocated.
void check_encoded_size(std::int64_t width, std::int64_t height, std::uint64_t least_bytes, std::uint64_t byte_count,
                        std::string_view format, const std::string& name);

}  // namespace p2mpp
