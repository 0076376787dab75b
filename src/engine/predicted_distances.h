#pragma once

#include "backends/distance_network.h"
#include "geometry/distance_field.h"
#include "p2mpp/sample.h"

namespace p2mpp {

/// The distances that a network computes from a sample's views, in two passes: over the box of the masks' hull, then
/// over what the first pass found. Throws InputError if an image has no pixels.
[[nodiscard]] DistanceField predicted_distances(DistanceNetwork& network, const Sample& sample);

}  // namespace p2mpp
