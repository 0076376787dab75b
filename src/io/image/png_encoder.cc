#include "io/image/png_encoder.h"

#include <fmt/format.h>
#include <spng.h>

#include <cstdlib>
#include <memory>
#include <vector>

#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr int kCompressionLevel = 4;  ///< of zlib: pictures are many, and read once

using Context = std::unique_ptr<spng_ctx, decltype(&spng_ctx_free)>;
using Bytes = std::unique_ptr<char, decltype(&std::free)>;

void require(int status) {
  if (status != 0) throw Error(fmt::format("a PNG could not be encoded: {}", spng_strerror(status)));
}

bool is_opaque(const Image& image) {
  for (std::size_t i = 3; i < image.rgba.size(); i += 4) {
    if (image.rgba[i] != 255) return false;
  }
  return true;
}

std::vector<std::uint8_t> without_alpha(const std::vector<std::uint8_t>& rgba) {
  std::vector<std::uint8_t> rgb;
  rgb.reserve(rgba.size() / 4 * 3);
  for (std::size_t i = 0; i < rgba.size(); i += 4) rgb.insert(rgb.end(), {rgba[i], rgba[i + 1], rgba[i + 2]});
  return rgb;
}

spng_ihdr header_of(const Image& image, bool opaque) {
  spng_ihdr header{};
  header.width = static_cast<std::uint32_t>(image.width);
  header.height = static_cast<std::uint32_t>(image.height);
  header.bit_depth = 8;
  header.color_type = opaque ? SPNG_COLOR_TYPE_TRUECOLOR : SPNG_COLOR_TYPE_TRUECOLOR_ALPHA;
  return header;
}

}  // namespace

std::string encode_png(const Image& image) {
  const std::size_t pixels = static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height);
  if (image.width < 1 || image.height < 1 || image.rgba.size() != 4 * pixels) {
    throw Error(fmt::format("{} bytes for a picture of {}x{} pixels; expected 4 a pixel", image.rgba.size(),
                            image.width, image.height));
  }
  const bool opaque = is_opaque(image);
  const std::vector<std::uint8_t> rgb = opaque ? without_alpha(image.rgba) : std::vector<std::uint8_t>();
  const std::vector<std::uint8_t>& channels = opaque ? rgb : image.rgba;

  const Context context(spng_ctx_new(SPNG_CTX_ENCODER), spng_ctx_free);
  if (!context) throw Error("no memory for the PNG encoder");
  require(spng_set_option(context.get(), SPNG_ENCODE_TO_BUFFER, 1));
  require(spng_set_option(context.get(), SPNG_IMG_COMPRESSION_LEVEL, kCompressionLevel));
  spng_ihdr header = header_of(image, opaque);
  require(spng_set_ihdr(context.get(), &header));
  require(spng_encode_image(context.get(), channels.data(), channels.size(), SPNG_FMT_PNG, SPNG_ENCODE_FINALIZE));
  std::size_t size = 0;
  int status = 0;
  const Bytes bytes(static_cast<char*>(spng_get_png_buffer(context.get(), &size, &status)), &std::free);
  require(status);
  return {bytes.get(), size};
}

}  // namespace p2mpp
