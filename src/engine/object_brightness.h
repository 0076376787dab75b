#pragma once

#include <span>
#include <vector>

#include "p2mpp/sample.h"

namespace p2mpp {

/// The luminance of an object's bright parts, as a share of white's: the 90th percentile over the pixels with an alpha
/// of at least half, in all views that have any transparency. 0 if there are none. Thread-safe.
[[nodiscard]] double object_brightness(std::span<const View> views);

/// Darkens bright objects for a network whose training had no objects brighter than `limit`, on a white background: it
/// cannot tell white objects from their background. If object_brightness() exceeds the limit, the colours of the views
/// with transparency are multiplied so that it becomes the limit; alpha does not change. Rims of white background
/// (white_rims()) are not counted and stay white, because the network would take darker ones for the object. Returns
/// copies of all samples, or nothing if no sample changes. Thread-safe.
[[nodiscard]] std::vector<Sample> darkened(std::span<const Sample> samples, double limit);

}  // namespace p2mpp
