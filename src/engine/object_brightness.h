#pragma once

#include <span>
#include <vector>

#include "p2mpp/sample.h"

namespace p2mpp {

/// The largest luminance of an object, as a share of white's: the 90th percentile over the pixels with an alpha of half
/// or more, of all views that have any transparency. 0 if there are none. Thread-safe.
[[nodiscard]] double object_brightness(std::span<const View> views);

/// What a network is shown that was trained on objects no brighter than `limit`, on white: white objects could not be
/// told from their background. Where object_brightness() exceeds the limit, the colours of the views with transparency
/// are multiplied so that it becomes the limit; alpha stays. Rims of white background (white_rims()) are left out of
/// it, and stay white: darker, they would be seen as the object. Returns copies of all samples, or nothing if all are
/// shown as they are. Thread-safe.
[[nodiscard]] std::vector<Sample> darkened(std::span<const Sample> samples, double limit);

}  // namespace p2mpp
