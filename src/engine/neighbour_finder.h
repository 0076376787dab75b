#pragma once

#include "p2mpp/device.h"
#include "p2mpp/metrics.h"

namespace p2mpp {

/// Nearest neighbours for scoring on a CUDA device, by our own kernels; for the CPU none, which means its own search.
/// Throws Error where the kernels cannot be used.
[[nodiscard]] NeighbourFinder neighbour_finder(Device device);

}  // namespace p2mpp
