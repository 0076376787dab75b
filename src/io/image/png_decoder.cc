#include "io/image/png_decoder.h"

#include <fmt/format.h>
#include <spng.h>

#include <memory>

#include "io/image/image_size.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr std::size_t kMaxTextBytes = 16 << 20;  ///< texts, profiles, ... once inflated
constexpr std::uint64_t kMaxDeflateRatio = 1032;

using Context = std::unique_ptr<spng_ctx, decltype(&spng_ctx_free)>;

void require(int status, const std::string& name) {
  if (status == 0) return;
  throw InputError(fmt::format("{}: damaged PNG: {}; expected a complete one", name, spng_strerror(status)));
}

std::uint64_t bits_per_pixel(const spng_ihdr& header) {
  switch (header.color_type) {
    case SPNG_COLOR_TYPE_TRUECOLOR:
      return header.bit_depth * 3u;
    case SPNG_COLOR_TYPE_GRAYSCALE_ALPHA:
      return header.bit_depth * 2u;
    case SPNG_COLOR_TYPE_TRUECOLOR_ALPHA:
      return header.bit_depth * 4u;
    default:
      return header.bit_depth;
  }
}

void check_header(const spng_ihdr& header, std::size_t byte_count, const std::string& name) {
  check_image_size(header.width, header.height, name);
  const std::uint64_t pixels = std::uint64_t{header.width} * header.height;
  const std::uint64_t least_bytes = pixels * bits_per_pixel(header) / 8 / kMaxDeflateRatio;
  check_encoded_size(header.width, header.height, least_bytes, byte_count, "PNG", name);
}

}  // namespace

bool is_png(std::string_view bytes) { return bytes.starts_with("\x89PNG\r\n\x1a\n"); }

Image decode_png(std::string_view bytes, const std::string& name) {
  const Context context(spng_ctx_new(0), spng_ctx_free);
  if (!context) throw Error(fmt::format("{}: no memory for the PNG decoder", name));
  require(spng_set_chunk_limits(context.get(), kMaxTextBytes, kMaxTextBytes), name);
  require(spng_set_png_buffer(context.get(), bytes.data(), bytes.size()), name);
  spng_ihdr header{};
  require(spng_get_ihdr(context.get(), &header), name);
  check_header(header, bytes.size(), name);

  Image image{static_cast<int>(header.width), static_cast<int>(header.height), {}};
  image.rgba.resize(std::size_t{header.width} * header.height * 4);
  require(spng_decode_image(context.get(), image.rgba.data(), image.rgba.size(), SPNG_FMT_RGBA8, SPNG_DECODE_TRNS),
          name);
  require(spng_decode_chunks(context.get()),
          name);  // up to the end mark: a file cut off after the pixels is refused too
  return image;
}

}  // namespace p2mpp
