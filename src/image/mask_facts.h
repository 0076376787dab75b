#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "image/reduced_part.h"
#include "p2mpp/image.h"

namespace p2mpp {

inline constexpr double kFullImage = 0.95;  ///< share of an image from which the background is no background

/// Facts about a mask. Pixels count as the object's from 128 on.
struct MaskFacts {
  double share = 0;                              ///< of the image
  double border_share = 0;                       ///< of the image's border that is the object's
  bool cut[4] = {};                              ///< touches the left, upper, right, lower border
  int left = 0, top = 0, right = 0, bottom = 0;  ///< box in pixels; right and bottom exclusive; all 0 if empty

  /// The longer side of the box.
  [[nodiscard]] int extent() const { return std::max(right - left, bottom - top); }
};

[[nodiscard]] MaskFacts mask_facts(const Mask& mask);

/// The smallest box that has every pixel with coverage; all 0 if there is none.
[[nodiscard]] PixelBox covered_box(const Mask& mask);

/// Throws InputError (one clause) if a mask shows no object: "the mask is empty".
void check_shows_object(const MaskFacts& facts);

/// Whether check_shows_object() passes.
[[nodiscard]] bool shows_object(const MaskFacts& facts);

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
