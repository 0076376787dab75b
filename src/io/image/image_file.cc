#include "io/image/image_file.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/input_file.h"
#include "base/text.h"
#include "io/image/decoders.h"
#include "io/image/png_file.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

/// The name of a known format that p2mpp does not read ("a HEIC image"). Empty for any other file. Source: the brands
/// of ISO/IEC 23008-12 and AVIF; the headers of TIFF 6.0, which most raw formats share; the signatures of GIF89a,
/// Photoshop, OpenEXR, JPEG 2000, JPEG XL and PNM.
std::string_view unread_format(std::string_view bytes) {
  if (bytes.size() >= 12 && bytes.substr(4, 4) == "ftyp") {
    const std::string_view brand = bytes.substr(8, 4);
    if (brand == "avif" || brand == "avis") return "an AVIF image";
    if (brand == "crx ") return "a raw photograph (CR3)";
    if (is_heic(bytes)) return "a HEIC image";
  }
  for (const std::string_view tiff : {std::string_view("II*\0", 4), std::string_view("MM\0*", 4)}) {
    if (bytes.starts_with(tiff)) return "a TIFF image or a raw photograph";
  }
  for (const std::string_view raw : {std::string_view("FUJIFILMCCD-RAW"), std::string_view("IIRO"),
                                     std::string_view("IIRS"), std::string_view("IIU\0", 4)}) {
    if (bytes.starts_with(raw)) return "a raw photograph";
  }
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kOthers{{
      {"GIF8", "a GIF image"},
      {"8BPS", "a Photoshop image"},
      {"v/1\x01", "an OpenEXR image"},
      {std::string_view("\0\0\0\x0CjP  ", 8), "a JPEG 2000 image"},
      {std::string_view("\0\0\0\x0CJXL ", 8), "a JPEG XL image"},
      {"\xFF\x0A", "a JPEG XL image"},
      {"P5\n", "a PGM image"},
      {"P6\n", "a PPM image"},
      {"<svg", "an SVG drawing"},
  }};
  for (const auto& [beginning, name] : kOthers) {
    if (bytes.starts_with(beginning)) return name;
  }
  return {};
}

void check_least_side(std::int64_t width, std::int64_t height, int least_side, const std::string& name) {
  if (width >= least_side && height >= least_side) return;
  throw InputError(fmt::format("{}: has {}x{} pixels; expected at least {} a side", name, width, height, least_side));
}

[[noreturn]] void refuse_format(std::string_view bytes, const std::string& name) {
  if (const std::string_view format = unread_format(bytes); !format.empty()) {
    throw InputError(
        fmt::format("{}: is {}; expected a PNG, a JPEG, a WebP or a BMP (ImageMagick converts: magick FILE FILE.png)",
                    name, format));
  }
  throw InputError(fmt::format("{}: is not an image; expected a PNG, a JPEG, a WebP or a BMP", name));
}

ImageSize declared_size(std::string_view bytes, const std::string& name) {
  if (is_png(bytes)) return png_size(bytes, name);
  if (is_jpeg(bytes)) return jpeg_size(bytes, name);
  if (is_webp(bytes)) return webp_size(bytes, name);
  if (is_bmp(bytes)) return bmp_size(bytes, name);
  refuse_format(bytes, name);
}

}  // namespace

void check_image_size(std::int64_t width, std::int64_t height, const std::string& name) {
  check_least_side(width, height, 1, name);
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

Image decode_image(std::string_view bytes, const std::string& name, Orientation orientation, int most_side,
                   int least_side) {
  static_cast<void>(image_size(bytes, name, least_side));  // refused before any pixel is decoded
  if (is_png(bytes)) return decode_png(bytes, name, most_side);
  if (is_jpeg(bytes)) return decode_jpeg(bytes, name, orientation == Orientation::kUpright, most_side);
  if (is_webp(bytes)) return decode_webp(bytes, name, most_side);
  return decode_bmp(bytes, name, most_side);
}

ImageSize read_image_size(const std::filesystem::path& path) { return image_size(read_file(path), display(path)); }

ImageSize image_size(std::string_view bytes, const std::string& name, int least_side) {
  const ImageSize size = declared_size(bytes, name);
  check_least_side(size.width, size.height, least_side, name);
  return size;
}

ImageSize photograph_size(std::string_view bytes, const std::string& name) {
  if (is_heic(bytes)) return heic_size(bytes, name);
  const ImageSize size = image_size(bytes, name);
  if (is_png(bytes)) check_png_chunks(bytes, name);  // other programs take a second header for the image's
  return size;
}

PhotographHeader read_photograph_header(const std::filesystem::path& path) {
  const std::string bytes = read_file(path), name = display(path);
  return {image_size(bytes, name), is_jpeg(bytes) ? jpeg_focal_length(bytes, name) : std::nullopt};
}

Image read_image(const std::filesystem::path& path) { return decode_image(read_file(path), display(path)); }

Image read_reduced_image(const std::filesystem::path& path, int most_side) {
  return decode_image(read_file(path), display(path), Orientation::kUpright, most_side);
}

}  // namespace p2mpp
