#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "p2mpp/export.h"

namespace p2mpp {

/// 8 bits per channel, interleaved red, green, blue, alpha, rows from the top: [height, width, 4].
struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgba;
};

/// Whether no pixel has any transparency. In an opaque image, only the colours show the object.
[[nodiscard]] P2MPP_EXPORT bool is_opaque(const Image& image);

/// The largest square that padded_to_square() makes.
inline constexpr std::size_t kMaxPaddedPixels = std::size_t{128} << 20;

/// Pads the shorter side on both ends with white, transparent if the image has any transparency, else opaque. A square
/// image does not change. Throws InputError if the square would have more than kMaxPaddedPixels.
[[nodiscard]] P2MPP_EXPORT Image padded_to_square(Image image);

/// How much of each pixel the object covers, 0 to 255: [height, width], rows from the top. It is the object's from 128.
struct Mask {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> coverage;
  /// Not 0 where nobody knows whether it is the object: beyond a photograph's border. Such a pixel has no vote, and its
  /// coverage is 0. [height, width]; empty: all is known.
  std::vector<std::uint8_t> unknown = {};

  [[nodiscard]] std::uint8_t at(int row, int column) const { return coverage[index(row, column)]; }
  [[nodiscard]] bool is_known(int row, int column) const { return unknown.empty() || unknown[index(row, column)] == 0; }
  [[nodiscard]] bool is_known(std::size_t pixel) const { return unknown.empty() || unknown[pixel] == 0; }

 private:
  [[nodiscard]] std::size_t index(int row, int column) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(width) + static_cast<std::size_t>(column);
  }
};

}  // namespace p2mpp
