#include "io/image/image_file.h"

#include <fmt/format.h>

#include "base/input_file.h"
#include "base/text.h"
#include "io/image/jpeg_decoder.h"
#include "io/image/png_file.h"
#include "io/image/webp_decoder.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

/// What a file is that cameras write and p2mpp does not read ("a HEIC image"); empty if it is none of them.
/// Source: the brands of ISO/IEC 23008-12 and AVIF; the headers of TIFF 6.0, which most raw formats share.
std::string_view unread_format(std::string_view bytes) {
  if (bytes.size() >= 12 && bytes.substr(4, 4) == "ftyp") {
    const std::string_view brand = bytes.substr(8, 4);
    if (brand == "avif" || brand == "avis") return "an AVIF image";
    if (brand == "crx ") return "a raw photograph (CR3)";
    for (const std::string_view heic : {"heic", "heix", "hevc", "hevx", "heim", "heis", "mif1", "msf1"}) {
      if (brand == heic) return "a HEIC image";
    }
  }
  for (const std::string_view tiff : {std::string_view("II*\0", 4), std::string_view("MM\0*", 4)}) {
    if (bytes.starts_with(tiff)) return "a TIFF image or a raw photograph";
  }
  for (const std::string_view raw : {std::string_view("FUJIFILMCCD-RAW"), std::string_view("IIRO"),
                                     std::string_view("IIRS"), std::string_view("IIU\0", 4)}) {
    if (bytes.starts_with(raw)) return "a raw photograph";
  }
  return {};
}

}  // namespace

void check_image_size(std::int64_t width, std::int64_t height, const std::string& name) {
  if (width < kMinImageSide || height < kMinImageSide) {
    throw InputError(
        fmt::format("{}: has {}x{} pixels; expected at least {} a side", name, width, height, kMinImageSide));
  }
  if (width > kMaxImageSide || height > kMaxImageSide || width * height > kMaxImagePixels) {
    throw InputError(fmt::format("{}: declares {}x{} pixels; expected at most {} a side and {} in all", name, width,
                                 height, kMaxImageSide, kMaxImagePixels));
  }
}

void check_encoded_size(std::int64_t width, std::int64_t height, std::uint64_t least_bytes, std::uint64_t byte_count,
                        std::string_view format, const std::string& name) {
  if (byte_count >= least_bytes) return;
  throw InputError(fmt::format("{}: damaged {}: declares {}x{} pixels but has {} bytes; expected at least {}", name,
                               format, width, height, byte_count, least_bytes));
}

Image decode_image(std::string_view bytes, const std::string& name, Orientation orientation) {
  if (is_png(bytes)) return decode_png(bytes, name);
  if (is_jpeg(bytes)) return decode_jpeg(bytes, name, orientation == Orientation::kUpright);
  if (is_webp(bytes)) return decode_webp(bytes, name);
  if (const std::string_view format = unread_format(bytes); !format.empty()) {
    throw InputError(fmt::format(
        "{}: is {}; expected a PNG, a JPEG or a WebP (ImageMagick converts: magick FILE FILE.png)", name, format));
  }
  throw InputError(fmt::format("{}: is not an image; expected a PNG, a JPEG or a WebP", name));
}

ImageSize read_image_size(const std::filesystem::path& path) {
  const std::string bytes = read_file(path);
  const std::string name = display(path);
  if (is_png(bytes)) return png_size(bytes, name);
  if (is_jpeg(bytes)) return jpeg_size(bytes, name);
  const Image image = decode_image(bytes, name);
  return {image.width, image.height};
}

std::optional<FocalLength> read_focal_length(const std::filesystem::path& path) {
  const std::string bytes = read_file(path);
  return is_jpeg(bytes) ? jpeg_focal_length(bytes, display(path)) : std::nullopt;
}

Image read_image(const std::filesystem::path& path) { return decode_image(read_file(path), display(path)); }

}  // namespace p2mpp
