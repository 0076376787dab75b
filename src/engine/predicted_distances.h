#pragma once

#include "backends/distance_network.h"
#include "geometry/distances/distance_field.h"
#include "p2mpp/sample.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// The distances that a network computes from a sample's views and the mesh of stage 2, in the world, in two passes:
/// over the box of the masks' hull, then over what the first pass found. Throws InputError if an image has no pixels.
[[nodiscard]] DistanceField predicted_distances(DistanceNetwork& network, const Sample& sample,
                                                const TriangleMesh& refined, int threads);

}  // namespace p2mpp
