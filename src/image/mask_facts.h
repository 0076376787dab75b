#pragma once

#include <algorithm>

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

}  // namespace p2mpp
