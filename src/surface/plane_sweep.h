#pragma once

#include <span>
#include <vector>

#include "surface/depth_maps.h"

namespace p2mpp {

/// The depths along a pixel's ray between which the object may be; nearest > farthest: nowhere.
struct DepthRange {
  float nearest = 1, farthest = 0;
};

/// The depths of a view [size, size] at which patches look the same in two of the others or more; NaN where
/// no depth is clearly the best. ranges: [size, size]. step: becomes the difference of 1 / depth between two planes.
[[nodiscard]] std::vector<float> sweep_planes(const ReducedView& view, std::span<const ReducedView* const> others,
                                              std::span<const DepthRange> ranges, float& step);

}  // namespace p2mpp
