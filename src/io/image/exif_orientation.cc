#include "io/image/exif_orientation.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace p2mpp {
namespace {

constexpr std::string_view kExifSignature{"Exif\0\0", 6};
constexpr std::uint32_t kOrientationTag = 0x0112;
constexpr std::size_t kEntryBytes = 12;

/// A TIFF header and what follows it; reads beyond the end give 0.
class Tiff {
 public:
  explicit Tiff(std::string_view bytes) : bytes_(bytes), little_endian_(bytes.starts_with("II")) {}

  [[nodiscard]] std::uint32_t read(std::size_t offset, std::size_t byte_count) const {
    if (offset > bytes_.size() || bytes_.size() - offset < byte_count) return 0;
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < byte_count; ++i) {
      const std::size_t at = little_endian_ ? offset + byte_count - 1 - i : offset + i;
      value = value << 8 | static_cast<unsigned char>(bytes_[at]);
    }
    return value;
  }

 private:
  std::string_view bytes_;
  bool little_endian_;
};

}  // namespace

bool is_exif(std::string_view segment) { return segment.starts_with(kExifSignature); }

int exif_orientation(std::string_view segment) {
  if (!is_exif(segment)) return 1;
  const Tiff tiff(segment.substr(kExifSignature.size()));
  const std::size_t directory = tiff.read(4, 4);
  const std::size_t entry_count = tiff.read(directory, 2);
  for (std::size_t entry = 0; entry < entry_count; ++entry) {
    const std::size_t at = directory + 2 + entry * kEntryBytes;
    if (tiff.read(at, 2) != kOrientationTag) continue;
    const std::uint32_t orientation = tiff.read(at + 8, 2);
    return orientation >= 1 && orientation <= 8 ? static_cast<int>(orientation) : 1;
  }
  return 1;
}

Image turned_upright(Image image, int orientation) {
  if (orientation <= 1 || orientation > 8) return image;
  // Upright pixel (row, column) is stored at: transposed for 5 to 8, then mirrored along the stored
  // axes.
  const bool transposed = orientation >= 5;
  const bool from_right = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  const bool from_bottom = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  Image upright{image.width, image.height, {}};
  if (transposed) std::swap(upright.width, upright.height);
  upright.rgba.resize(image.rgba.size());
  std::uint8_t* target = upright.rgba.data();
  for (int row = 0; row < upright.height; ++row) {
    for (int column = 0; column < upright.width; ++column, target += 4) {
      int x = transposed ? row : column;
      int y = transposed ? column : row;
      if (from_right) x = image.width - 1 - x;
      if (from_bottom) y = image.height - 1 - y;
      const auto pixel =
          static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) + static_cast<std::size_t>(x);
      std::memcpy(target, image.rgba.data() + pixel * 4, 4);
    }
  }
  return upright;
}

}  // namespace p2mpp
