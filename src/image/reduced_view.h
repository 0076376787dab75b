#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <limits>
#include <span>
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

/// Of camera centres, those whose directions to the object differ least from that of one of them, but enough for a
/// depth, and not so much that they see another side: at most `most`, nearest first. `middle`: of the object.
[[nodiscard]] std::vector<std::size_t> views_beside(std::span<const Eigen::Vector3f> centres, std::size_t which,
                                                    const Eigen::Vector3f& middle, std::size_t most);

}  // namespace p2mpp
