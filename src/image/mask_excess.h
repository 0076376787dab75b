#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "p2mpp/image.h"

namespace p2mpp {

/// By how many pixels a mask is wider than its object; negative: narrower.
struct MaskExcess {
  double pixels = 0;
  double grain = 1;  ///< pixels of the picture that was measured for each of these
};

/// Measures where the brightness ([height, width]) of a photograph changes most across the boundary of its mask: at the
/// object's outline. It is exact to about a third of a pixel. Nothing if no place within six pixels of the boundary
/// stands out, as where the background looks like the object. Thread-safe.
[[nodiscard]] std::optional<MaskExcess> mask_excess(const Mask& mask, std::span<const std::uint8_t> brightness);

/// The median excess of an object's masks in pixels, assuming that one source made them. 0 if less than two thirds or
/// three of them are known, if they disagree, or if it is too small to matter. `measured`: of each mask.
[[nodiscard]] double common_excess(std::span<const std::optional<MaskExcess>> measured);

/// A mask with its boundary moved inwards by some pixels, or outwards if they are negative.
[[nodiscard]] Mask narrowed(const Mask& mask, double pixels);

}  // namespace p2mpp
