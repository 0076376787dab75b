#pragma once

#include <limits>
#include <vector>

#include "image/mask_view.h"

namespace p2mpp {

/// A pixel or a pattern that is not known.
inline constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();

/// The brightness of a view, reduced.
struct ReducedView {
  Pinhole<float> camera;          ///< at the reduced pixels
  int size = 0;                   ///< pixels of a side
  std::vector<float> brightness;  ///< [size, size]; NaN where the object does not cover a pixel
};

/// factor: pixels of the view along a side of a reduced one. Precondition: the view has brightness.
[[nodiscard]] ReducedView reduced(const MaskView& view, int factor);

}  // namespace p2mpp
