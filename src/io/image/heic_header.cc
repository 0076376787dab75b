#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "io/image/decoders.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

// Source: ISO/IEC 14496-12, 4.2 (boxes), and ISO/IEC 23008-12, 6.5.3 (ispe).
constexpr std::size_t kHeaderBytes = 8, kLargeHeaderBytes = 16, kVersionBytes = 4, kSizeBytes = 8;
constexpr int kDeepest = 3;  ///< meta, iprp, ipco

std::uint64_t number(std::string_view bytes, std::size_t at, std::size_t count) {
  std::uint64_t value = 0;
  for (const char byte : bytes.substr(at, count)) value = value << 8 | static_cast<unsigned char>(byte);
  return value;
}

struct HeicBox {
  std::string_view kind, content;
};

/// Removes the first box from the bytes. Empty at the end, and where it is damaged.
std::optional<HeicBox> take_box(std::string_view& bytes) {
  if (bytes.size() < kHeaderBytes) return std::nullopt;
  std::uint64_t length = number(bytes, 0, 4);
  const bool is_large = length == 1 && bytes.size() >= kLargeHeaderBytes;
  if (is_large) length = number(bytes, kHeaderBytes, 8);
  if (length == 0) length = bytes.size();  // to the end
  const std::size_t header = is_large ? kLargeHeaderBytes : kHeaderBytes;
  if (length < header || length > bytes.size()) return std::nullopt;
  const HeicBox box{bytes.substr(4, 4), bytes.substr(header, length - header)};
  bytes.remove_prefix(length);
  return box;
}

/// The largest size in boxes of these bytes: a photograph declares its own, its tiles' and its thumbnails'.
ImageSize largest_size(std::string_view bytes, const std::string& name, int depth = 0) {
  constexpr std::array kFolders = {"meta", "iprp", "ipco"};
  ImageSize largest;
  const auto take = [&](const ImageSize& size) {
    if (std::int64_t{size.width} * size.height > std::int64_t{largest.width} * largest.height) largest = size;
  };
  while (std::optional<HeicBox> box = take_box(bytes)) {
    std::string_view content = box->content;
    if (box->kind == "ispe" && content.size() >= kVersionBytes + kSizeBytes) {
      const auto width = static_cast<std::int64_t>(number(content, kVersionBytes, 4));
      const auto height = static_cast<std::int64_t>(number(content, kVersionBytes + 4, 4));
      check_image_size(width, height, name);
      take({static_cast<int>(width), static_cast<int>(height)});
    } else if (depth < kDeepest && std::ranges::count(kFolders, box->kind) > 0) {
      if (box->kind == "meta") content.remove_prefix(std::min(kVersionBytes, content.size()));
      take(largest_size(content, name, depth + 1));
    }
  }
  return largest;
}

}  // namespace

bool is_heic(std::string_view bytes) {
  constexpr std::array kBrands = {"heic", "heix", "hevc", "hevx", "heim", "heis", "mif1", "msf1"};
  return bytes.size() >= 12 && bytes.substr(4, 4) == "ftyp" && std::ranges::count(kBrands, bytes.substr(8, 4)) > 0;
}

ImageSize heic_size(std::string_view bytes, const std::string& name) {
  const ImageSize size = largest_size(bytes, name);
  if (size.width > 0) return size;
  throw InputError(fmt::format("{}: damaged HEIC: declares no size; expected a complete photograph", name));
}

}  // namespace p2mpp
