#include "io/image/image_file.h"

#include <fmt/format.h>

#include "base/input_file.h"
#include "base/text.h"
#include "io/image/jpeg_decoder.h"
#include "io/image/png_file.h"
#include "p2mpp/error.h"

namespace p2mpp {

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

Image decode_image(std::string_view bytes, const std::string& name) {
  if (is_png(bytes)) return decode_png(bytes, name);
  if (is_jpeg(bytes)) return decode_jpeg(bytes, name);
  throw InputError(fmt::format("{}: is not an image; expected a PNG or a JPEG", name));
}

ImageSize read_image_size(const std::filesystem::path& path) {
  const std::string bytes = read_file(path);
  const std::string name = display(path);
  if (is_png(bytes)) return png_size(bytes, name);
  if (is_jpeg(bytes)) return jpeg_size(bytes, name);
  const Image image = decode_image(bytes, name);
  return {image.width, image.height};
}

Image read_image(const std::filesystem::path& path) { return decode_image(read_file(path), display(path)); }

}  // namespace p2mpp
