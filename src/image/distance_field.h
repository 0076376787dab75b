#pragma once

#include <vector>

#include "p2mpp/image.h"

namespace p2mpp {

/// The distance in pixels from the centre of each pixel of a square mask ([size, size]) to the boundary between object
/// and background. Positive inside, and exact to the midpoints between pixels. +-2 size where there is no boundary.
[[nodiscard]] std::vector<float> signed_distances(const Mask& mask);

}  // namespace p2mpp
