#pragma once

#include <cstdint>
#include <vector>

namespace p2mpp {

/// Pixels from the centre of each pixel of a square mask ([size, size], the object from 128 on) to the boundary between
/// object and background, positive inside: exact to the midpoints between pixels. +-2 size where there is no boundary.
[[nodiscard]] std::vector<float> signed_distances(const std::vector<std::uint8_t>& coverage, int size);

}  // namespace p2mpp
