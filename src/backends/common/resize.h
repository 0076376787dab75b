#pragma once

#include <array>
#include <cstdint>

#include "backends/common/host_device.h"

namespace p2mpp {

// What preprocess() does with one pixel, shared with the CUDA kernel: all in whole numbers, so that both give the same
// bits.

inline constexpr int kResizedSide = 224;  ///< pixels

/// Where an output pixel falls along one axis of the source: between `first` and the pixel after it, with weights that
/// add up to 2048 but for rounding.
struct Tap {
  int first = 0;
  int weight_first = 0;
  int weight_second = 0;
};

using Taps = std::array<Tap, kResizedSide>;

/// Half-pixel centres. cv2 rounds the position to float and the weights to 11 bits. `first` may lie beyond the border:
/// rows there are the border's.
[[nodiscard]] Taps row_taps(int height);

/// The same for columns: beyond the border, the border's pixel has all the weight.
[[nodiscard]] Taps column_taps(int width);

/// value / 255, rounded, for value up to 255 * 255.
[[nodiscard]] P2MPP_HOST_DEVICE inline std::uint32_t divide_by_255(std::uint32_t value) {
  const std::uint32_t biased = value + 128;
  return (biased + (biased >> 8)) >> 8;
}

/// A colour on white by its alpha: blended as PIL does, or white where alpha is 0 and as it is elsewhere.
[[nodiscard]] P2MPP_HOST_DEVICE inline std::uint32_t composite(bool blend, std::uint32_t colour, std::uint32_t alpha) {
  if (blend) return divide_by_255(colour * alpha + 255 * (255 - alpha));
  return alpha == 0 ? 255 : colour;
}

/// Mixes two pixels of a row; the result is scaled by 2048.
[[nodiscard]] P2MPP_HOST_DEVICE inline std::int32_t mix_columns(const Tap& tap, std::int32_t first,
                                                                std::int32_t second) {
  return first * tap.weight_first + second * tap.weight_second;
}

/// Mixes two rows' mix_columns() into 8 bits as cv2 does: each product is cut to 2 bits below the pixel's unit before
/// rounding.
[[nodiscard]] P2MPP_HOST_DEVICE inline std::int32_t mix_rows(const Tap& tap, std::int32_t upper, std::int32_t lower) {
  const std::int32_t from_upper = (tap.weight_first * (upper >> 4)) >> 16;
  const std::int32_t from_lower = (tap.weight_second * (lower >> 4)) >> 16;
  return (from_upper + from_lower + 2) >> 2;
}

}  // namespace p2mpp
