#include "io/image/png_file.h"

#include <fmt/format.h>
#include <spng.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "base/thread_scopes.h"
#include "image/resize.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr std::size_t kMaxTextBytes = 16 << 20;  ///< texts, profiles, ... once inflated
constexpr std::uint64_t kMaxDeflateRatio = 1032;

using Context = std::unique_ptr<spng_ctx, decltype(&spng_ctx_free)>;

void require(int status, const std::string& name) {
  if (status == 0) return;
  // zlib cannot be set up only for lack of memory.
  if (status == SPNG_EMEM || status == SPNG_EZLIB_INIT) throw std::bad_alloc();
  throw InputError(fmt::format("{}: damaged PNG: {}; expected a complete one", name, spng_strerror(status)));
}

std::uint64_t bits_per_pixel(const spng_ihdr& header) {
  if (header.color_type == SPNG_COLOR_TYPE_TRUECOLOR) return header.bit_depth * 3u;
  if (header.color_type == SPNG_COLOR_TYPE_GRAYSCALE_ALPHA) return header.bit_depth * 2u;
  return header.bit_depth * (header.color_type == SPNG_COLOR_TYPE_TRUECOLOR_ALPHA ? 4u : 1u);
}

Context make_decoder(std::string_view bytes, const std::string& name) {
  Context context(spng_ctx_new(0), spng_ctx_free);
  if (!context) throw Error(fmt::format("{}: no memory for the PNG decoder", name));
  require(spng_set_chunk_limits(context.get(), kMaxTextBytes, kMaxTextBytes), name);
  require(spng_set_png_buffer(context.get(), bytes.data(), bytes.size()), name);
  return context;
}

spng_ihdr checked_header(const Context& context, std::size_t byte_count, const std::string& name) {
  spng_ihdr header{};
  require(spng_get_ihdr(context.get(), &header), name);
  check_image_size(header.width, header.height, name);
  const std::uint64_t pixels = std::uint64_t{header.width} * header.height;
  const std::uint64_t least_bytes = pixels * bits_per_pixel(header) / 8 / kMaxDeflateRatio;
  check_encoded_size(header.width, header.height, least_bytes, byte_count, "PNG", name);
  return header;
}

ImageSize header_size(const spng_ihdr& header) {
  return {static_cast<int>(header.width), static_cast<int>(header.height)};
}

/// Decodes a PNG that is not interlaced into row(i), row by row, and calls done(row) for each.
template <typename Row, typename Done>
void decode_rows(const Context& context, const ImageSize& size, const std::string& name, const Row& row,
                 const Done& done) {
  require(spng_decode_image(context.get(), nullptr, 0, SPNG_FMT_RGBA8, SPNG_DECODE_TRNS | SPNG_DECODE_PROGRESSIVE),
          name);
  for (int i = 0; i < size.height; ++i) {
    end_if_stopped();
    std::uint8_t* const bytes = row(i);
    const int status = spng_decode_row(context.get(), bytes, 4 * static_cast<std::size_t>(size.width));
    require(status == SPNG_EOI && i + 1 == size.height ? 0 : status, name);
    done(bytes);
  }
}

Image decode_whole(const Context& context, const spng_ihdr& header, const std::string& name) {
  const ImageSize size = header_size(header);
  Image image{size.width, size.height, {}};
  const std::size_t row_bytes = 4 * static_cast<std::size_t>(size.width);
  image.rgba.resize(row_bytes * static_cast<std::size_t>(size.height));
  if (header.interlace_method == SPNG_INTERLACE_NONE) {
    decode_rows(
        context, size, name, [&](int i) { return &image.rgba[row_bytes * static_cast<std::size_t>(i)]; },
        [](const std::uint8_t*) {});
  } else {
    require(spng_decode_image(context.get(), image.rgba.data(), image.rgba.size(), SPNG_FMT_RGBA8, SPNG_DECODE_TRNS),
            name);
  }
  return image;
}

/// The passes of an interlaced PNG go through all rows, so it is decoded first.
Image decode_reduced(const Context& context, const spng_ihdr& header, const ImageSize& size, const std::string& name) {
  const ImageSize whole = header_size(header);
  AreaReduction reduction(whole, size);
  if (header.interlace_method == SPNG_INTERLACE_NONE) {
    std::vector<std::uint8_t> row(4 * static_cast<std::size_t>(whole.width));
    decode_rows(
        context, whole, name, [&](int) { return row.data(); },
        [&](const std::uint8_t* decoded) { reduction.add_row(decoded); });
  } else {
    const Image image = decode_whole(context, header, name);
    const std::size_t row_bytes = 4 * static_cast<std::size_t>(whole.width);
    for (std::size_t i = 0; i < image.rgba.size(); i += row_bytes) reduction.add_row(&image.rgba[i]);
  }
  return std::move(reduction).result();
}

/// Throws InputError unless the file has its last chunk, IEND, in whole: spng does not read that far. Precondition:
/// what comes before has been decoded, so every chunk's length is right. Source: PNG (ISO/IEC 15948), 5.3 and 11.2.5.
void check_end(std::string_view bytes, const std::string& name) {
  constexpr std::string_view kEnd("\0\0\0\0IEND\xae\x42\x60\x82", 12);
  constexpr std::size_t kSignatureBytes = 8, kBytesAroundData = 12;
  for (std::size_t at = kSignatureBytes; at < bytes.size();) {
    const std::string_view chunk = bytes.substr(at);
    if (chunk.starts_with(kEnd)) return;
    std::size_t length = 0;
    for (const char byte : chunk.substr(0, 4)) length = length << 8 | static_cast<unsigned char>(byte);
    at += kBytesAroundData + length;
  }
  throw InputError(fmt::format("{}: damaged PNG: its end is missing; expected a complete one", name));
}

constexpr int kCompressionLevel = 4;  ///< of zlib: pictures are many, and read once

using Bytes = std::unique_ptr<char, decltype(&std::free)>;

void require(int status) {
  if (status != 0) throw Error(fmt::format("a PNG could not be encoded: {}", spng_strerror(status)));
}

std::vector<std::uint8_t> without_alpha(const std::vector<std::uint8_t>& rgba) {
  std::vector<std::uint8_t> rgb;
  rgb.reserve(rgba.size() / 4 * 3);
  for (std::size_t i = 0; i < rgba.size(); i += 4) rgb.insert(rgb.end(), {rgba[i], rgba[i + 1], rgba[i + 2]});
  return rgb;
}

spng_ihdr make_header(const Image& image, bool opaque) {
  spng_ihdr header{};
  header.width = static_cast<std::uint32_t>(image.width);
  header.height = static_cast<std::uint32_t>(image.height);
  header.bit_depth = 8;
  header.color_type = opaque ? SPNG_COLOR_TYPE_TRUECOLOR : SPNG_COLOR_TYPE_TRUECOLOR_ALPHA;
  return header;
}

}  // namespace

bool is_png(std::string_view bytes) { return bytes.starts_with("\x89PNG\r\n\x1a\n"); }

ImageSize png_size(std::string_view bytes, const std::string& name) {
  const Context context = make_decoder(bytes, name);
  return header_size(checked_header(context, bytes.size(), name));
}

void check_png_chunks(std::string_view bytes, const std::string& name) {
  const Context context = make_decoder(bytes, name);
  require(spng_decode_chunks(context.get()), name);
}

Image decode_png(std::string_view bytes, const std::string& name, int most_side) {
  const Context context = make_decoder(bytes, name);
  const spng_ihdr header = checked_header(context, bytes.size(), name);
  const ImageSize size = reduced_size(header_size(header), most_side);
  Image image =
      size == header_size(header) ? decode_whole(context, header, name) : decode_reduced(context, header, size, name);
  require(spng_decode_chunks(context.get()), name);
  check_end(bytes, name);
  return image;
}

std::optional<Image> decode_png_labels(std::string_view bytes, const std::string& name) {
  if (!is_png(bytes)) return std::nullopt;
  const Context context = make_decoder(bytes, name);
  const spng_ihdr header = checked_header(context, bytes.size(), name);
  if (header.bit_depth != 16 || header.color_type != SPNG_COLOR_TYPE_GRAYSCALE) return std::nullopt;
  const ImageSize size = header_size(header);
  std::vector<std::uint16_t> samples(static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height));
  require(spng_decode_image(context.get(), samples.data(), 2 * samples.size(), SPNG_FMT_PNG, 0), name);
  if (std::ranges::any_of(samples, [](std::uint16_t sample) { return sample > 255; })) return std::nullopt;
  Image image{size.width, size.height, {}};
  image.rgba.reserve(4 * samples.size());
  for (const std::uint16_t sample : samples) {
    const std::uint8_t grey = sample > 0 ? 255 : 0;
    image.rgba.insert(image.rgba.end(), {grey, grey, grey, 255});
  }
  return image;
}

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
  spng_ihdr header = make_header(image, opaque);
  require(spng_set_ihdr(context.get(), &header));
  require(spng_encode_image(context.get(), channels.data(), channels.size(), SPNG_FMT_PNG, SPNG_ENCODE_FINALIZE));
  std::size_t size = 0;
  int status = 0;
  const Bytes bytes(static_cast<char*>(spng_get_png_buffer(context.get(), &size, &status)), &std::free);
  require(status);
  return {bytes.get(), size};
}

}  // namespace p2mpp
