#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include "base/little_endian.h"
#include "base/thread_scopes.h"
#include "image/resize.h"
#include "io/image/decoders.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

// Source: BITMAPFILEHEADER, BITMAPINFOHEADER and BITMAPV4HEADER of Windows.
constexpr std::size_t kFileHeader = 14, kInfoHeader = 40, kHeaderWithAlphaMask = 56;
constexpr std::uint64_t kBmpPlain = 0, kBmpMasks = 3, kBmpAlphaMasks = 6;  // compression
constexpr int kNoByte = -1;

using BmpColour = std::array<std::uint8_t, 4>;

struct BmpHeader {
  ImageSize size = {};
  std::uint64_t bits = 0;  ///< a pixel
  bool is_upside_down = true;
  std::size_t pixels = 0, row_bytes = 0;          ///< where they begin, and the bytes of a row
  std::vector<BmpColour> palette = {};            ///< of 1, 4 and 8 bits
  std::array<int, 4> bytes = {2, 1, 0, kNoByte};  ///< of red, green, blue and alpha in a pixel; kNoByte: there is none
};

[[noreturn]] void refuse_bmp(const std::string& name, const std::string& problem) {
  throw InputError(fmt::format("{}: damaged BMP: {}; expected a complete one", name, problem));
}

std::uint64_t number_at(std::string_view bytes, std::size_t at, std::size_t count, const std::string& name) {
  if (at > bytes.size() || count > bytes.size() - at) refuse_bmp(name, "it is cut off");
  return little_endian(bytes.substr(at, count));
}

/// The byte that a mask of 32 bits selects.
int byte_of_mask(std::uint64_t mask, const std::string& name) {
  if (mask == 0) return kNoByte;
  for (int byte = 0; byte < 4; ++byte) {
    if (mask == std::uint64_t{0xff} << (8 * byte)) return byte;
  }
  throw InputError(fmt::format("{}: is a BMP whose colours do not have 8 bits each; expected 8, or a PNG", name));
}

std::vector<BmpColour> read_palette(std::string_view bytes, std::size_t at, std::uint64_t bits,
                                    const std::string& name) {
  std::uint64_t count = number_at(bytes, kFileHeader + 32, 4, name);
  if (count == 0 || count > (std::uint64_t{1} << bits)) count = std::uint64_t{1} << bits;
  std::vector<BmpColour> palette(std::size_t{1} << bits, BmpColour{0, 0, 0, 255});
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t colour = number_at(bytes, at + 4 * i, 4, name);
    palette[i] = {static_cast<std::uint8_t>(colour >> 16), static_cast<std::uint8_t>(colour >> 8),
                  static_cast<std::uint8_t>(colour), 255};
  }
  return palette;
}

/// Throws InputError unless all rows are there.
BmpHeader bmp_header(std::string_view bytes, const std::string& name) {
  const auto number = [&](std::size_t at, std::size_t count) { return number_at(bytes, at, count, name); };
  const auto header_bytes = static_cast<std::size_t>(number(kFileHeader, 4));
  if (header_bytes < kInfoHeader) {
    throw InputError(fmt::format("{}: is a BMP of OS/2; expected one of Windows, or a PNG", name));
  }
  BmpHeader header;
  const auto width = static_cast<std::int32_t>(number(kFileHeader + 4, 4));
  const auto height = static_cast<std::int32_t>(number(kFileHeader + 8, 4));
  header.is_upside_down = height > 0;
  const std::int64_t rows = std::abs(std::int64_t{height});
  check_image_size(width, rows, name);
  header.size = {width, static_cast<int>(rows)};
  header.bits = number(kFileHeader + 14, 2);
  const std::uint64_t compression = number(kFileHeader + 16, 4);
  const bool has_palette = header.bits == 1 || header.bits == 4 || header.bits == 8;
  const bool has_masks = header.bits == 32 && (compression == kBmpMasks || compression == kBmpAlphaMasks);
  if (!(has_palette || header.bits == 24 || header.bits == 32) || !(compression == kBmpPlain || has_masks)) {
    throw InputError(fmt::format(
        "{}: is a BMP of {} bits a pixel, compression {}; expected 1, 4, 8, 24 or 32 without compression, or a PNG",
        name, header.bits, compression));
  }
  if (has_palette) header.palette = read_palette(bytes, kFileHeader + header_bytes, header.bits, name);
  if (has_masks) {
    const bool has_alpha = compression == kBmpAlphaMasks || header_bytes >= kHeaderWithAlphaMask;
    for (std::size_t i = 0; i < (has_alpha ? 4 : 3); ++i) {
      header.bytes[i] = byte_of_mask(number(kFileHeader + kInfoHeader + 4 * i, 4), name);
    }
  }
  header.pixels = static_cast<std::size_t>(number(10, 4));
  header.row_bytes = (static_cast<std::size_t>(width) * header.bits + 31) / 32 * 4;
  const std::uint64_t least = header.pixels + header.row_bytes * static_cast<std::uint64_t>(rows);
  check_encoded_size(width, rows, least, bytes.size(), "BMP", name);
  return header;
}

void decode_bmp_row(const BmpHeader& header, std::string_view row, std::uint8_t* rgba) {
  for (int x = 0; x < header.size.width; ++x, rgba += 4) {
    const auto pixel = static_cast<std::size_t>(x);
    if (!header.palette.empty()) {
      const std::size_t bit = pixel * header.bits;
      const auto byte = static_cast<unsigned char>(row[bit / 8]);
      const std::size_t index = byte >> (8 - header.bits - bit % 8) & (header.palette.size() - 1);
      std::copy(header.palette[index].begin(), header.palette[index].end(), rgba);
      continue;
    }
    const std::string_view bytes = row.substr(pixel * header.bits / 8, header.bits / 8);
    for (std::size_t i = 0; i < 4; ++i) {
      const std::uint8_t missing = i == 3 ? 255 : 0;
      rgba[i] = header.bytes[i] == kNoByte
                    ? missing
                    : static_cast<std::uint8_t>(bytes[static_cast<std::size_t>(header.bytes[i])]);
    }
  }
}

}  // namespace

// "BM" alone is short: the reserved bytes are 0.
bool is_bmp(std::string_view bytes) {
  return bytes.size() > kFileHeader && bytes.starts_with("BM") && bytes.substr(6, 4) == std::string_view("\0\0\0\0", 4);
}

ImageSize bmp_size(std::string_view bytes, const std::string& name) { return bmp_header(bytes, name).size; }

Image decode_bmp(std::string_view bytes, const std::string& name, int most_side) {
  const BmpHeader header = bmp_header(bytes, name);
  const ImageSize size = reduced_size(header.size, most_side);
  const auto decode = [&](int i, std::uint8_t* rgba) {
    end_if_stopped();
    const int row = header.is_upside_down ? header.size.height - 1 - i : i;
    const std::size_t at = header.pixels + header.row_bytes * static_cast<std::size_t>(row);
    decode_bmp_row(header, bytes.substr(at, header.row_bytes), rgba);
  };
  const std::size_t row_bytes = 4 * static_cast<std::size_t>(header.size.width);
  if (size == header.size) {
    Image image{size.width, size.height, {}};
    image.rgba.resize(row_bytes * static_cast<std::size_t>(size.height));
    for (int i = 0; i < size.height; ++i) decode(i, &image.rgba[row_bytes * static_cast<std::size_t>(i)]);
    return image;
  }
  AreaReduction reduction(header.size, size);
  std::vector<std::uint8_t> rgba(row_bytes);
  for (int i = 0; i < header.size.height; ++i) {
    decode(i, rgba.data());
    reduction.add_row(rgba.data());
  }
  return std::move(reduction).result();
}

}  // namespace p2mpp
