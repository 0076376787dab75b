#pragma once

#include <array>
#include <cstdint>

#include "backends/common/host_device.h"
#include "image/brightness.h"

namespace p2mpp {

// The per-pixel arithmetic of preprocess(), shared with the CUDA kernel. It uses only integers, so the CPU and CUDA
// give identical bits.

inline constexpr int kResizedSide = 224;  ///< pixels

/// The source pixels of an output pixel along one axis: `first` and its successor. The weights add up to 2048, up to
/// rounding.
struct Tap {
  int first = 0;
  int weight_first = 0;
  int weight_second = 0;
};

using Taps = std::array<Tap, kResizedSide>;

/// Half-pixel centres. Like cv2, rounds the position to float and the weights to 11 bits. `first` may lie outside the
/// image; such rows repeat the border row.
[[nodiscard]] Taps row_taps(int height);

/// The same for columns, except that outside the image the border pixel has the full weight.
[[nodiscard]] Taps column_taps(int width);

/// value / 255, rounded. Precondition: value <= 255 * 255.
[[nodiscard]] P2MPP_HOST_DEVICE inline std::uint32_t divide_by_255(std::uint32_t value) {
  const std::uint32_t biased = value + 128;
  return (biased + (biased >> 8)) >> 8;
}

/// Composites a colour on white. `blend`: blends as PIL does. Otherwise alpha 0 gives white, and any other alpha keeps
/// the colour.
[[nodiscard]] P2MPP_HOST_DEVICE inline std::uint32_t composite(bool blend, std::uint32_t colour, std::uint32_t alpha) {
  if (blend) return divide_by_255(colour * alpha + 255 * (255 - alpha));
  return alpha == 0 ? 255 : colour;
}

/// The source of a network's fourth channel.
enum class MaskSource : std::uint8_t {
  kNone,     ///< it has three
  kAlpha,    ///< the image's alpha
  kColours,  ///< an opaque image's pixels that are not white (kNotWhite)
};

/// The object's share of a pixel, 0 to 255. 0 without a mask.
[[nodiscard]] P2MPP_HOST_DEVICE inline std::uint32_t object_share(MaskSource source, std::uint32_t red,
                                                                  std::uint32_t green, std::uint32_t blue,
                                                                  std::uint32_t alpha) {
  if (source == MaskSource::kNone) return 0;
  if (source == MaskSource::kAlpha) return alpha;
  return red < kNotWhite || green < kNotWhite || blue < kNotWhite ? 255 : 0;
}

/// Interpolates two pixels of a row. The result is scaled by 2048.
[[nodiscard]] P2MPP_HOST_DEVICE inline std::int32_t mix_columns(const Tap& tap, std::int32_t first,
                                                                std::int32_t second) {
  return first * tap.weight_first + second * tap.weight_second;
}

/// Interpolates two results of mix_columns() to 8 bits as cv2 does: each product is truncated to two fractional bits
/// before rounding.
[[nodiscard]] P2MPP_HOST_DEVICE inline std::int32_t mix_rows(const Tap& tap, std::int32_t upper, std::int32_t lower) {
  const std::int32_t from_upper = (tap.weight_first * (upper >> 4)) >> 16;
  const std::int32_t from_lower = (tap.weight_second * (lower >> 4)) >> 16;
  return (from_upper + from_lower + 2) >> 2;
}

}  // namespace p2mpp
