#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "p2mpp/sample.h"

namespace p2mpp {

/// Pixels of a view with an alpha of half or more: the object's.
inline constexpr std::uint8_t kObjectAlpha = 128;

/// The rims of white background around an object that is not white, if masks are slightly too large: for each view
/// [height, width], 1 for a pixel of the rim. Empty if the views together show no rim; then white pixels at the masks'
/// boundary belong to the object. A rim is at most 3% of the image wide. Thread-safe.
[[nodiscard]] std::vector<std::vector<std::uint8_t>> white_rims(std::span<const View> views);

}  // namespace p2mpp
