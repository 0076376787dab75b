#include <fmt/format.h>
#include <webp/decode.h>

#include <new>

#include "image/resize.h"
#include "io/image/decoders.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

/// A lossless image of one colour takes no bits a pixel. The minimum size is therefore the container's own: the RIFF
/// header, a chunk's header and the frame's.
constexpr std::size_t kLeastBytes = 12 + 8 + 5;

[[noreturn]] void refuse(const std::string& name) {
  throw InputError(fmt::format("{}: damaged WebP; expected a complete one", name));
}

ImageSize checked_size(std::string_view bytes, const std::string& name) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  WebPBitstreamFeatures features{};
  if (bytes.size() < kLeastBytes || WebPGetFeatures(data, bytes.size(), &features) != VP8_STATUS_OK) refuse(name);
  if (features.has_animation != 0) throw InputError(fmt::format("{}: an animated WebP; expected a still one", name));
  check_image_size(features.width, features.height, name);
  return {features.width, features.height};
}

}  // namespace

bool is_webp(std::string_view bytes) {
  return bytes.size() >= 12 && bytes.starts_with("RIFF") && bytes.substr(8, 4) == "WEBP";
}

ImageSize webp_size(std::string_view bytes, const std::string& name) { return checked_size(bytes, name); }

Image decode_webp(std::string_view bytes, const std::string& name, int most_side) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  const ImageSize whole = checked_size(bytes, name), size = reduced_size(whole, most_side);
  Image image{size.width, size.height, {}};
  const std::size_t row_bytes = 4 * static_cast<std::size_t>(image.width);
  image.rgba.resize(row_bytes * static_cast<std::size_t>(image.height));
  WebPDecoderConfig config{};
  if (WebPInitDecoderConfig(&config) == 0) throw Error(fmt::format("{}: libwebp is of another version", name));
  config.options.use_scaling = size == whole ? 0 : 1;  // libwebp, too, takes the mean over an area
  config.options.scaled_width = size.width;
  config.options.scaled_height = size.height;
  config.output.colorspace = MODE_RGBA;
  config.output.is_external_memory = 1;
  config.output.u.RGBA = {image.rgba.data(), static_cast<int>(row_bytes), image.rgba.size()};
  const VP8StatusCode status = WebPDecode(data, bytes.size(), &config);
  if (status == VP8_STATUS_OUT_OF_MEMORY) throw std::bad_alloc();
  if (status != VP8_STATUS_OK) refuse(name);
  return image;
}

}  // namespace p2mpp
