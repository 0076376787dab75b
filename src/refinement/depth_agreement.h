#pragma once

#include <cstddef>
#include <span>

#include "refinement/plane_search.h"

namespace p2mpp {

/// Adds to a mesh's vertices the depths of views[which] that at least two of the `others` confirm: as slope() the sum
/// of weights times ways along the normal, to where the photographs see the surface, as curvature() that of weights.
/// agreement() is the sum of the ways' lengths times weights, negative, and pixels() that of weights. `maps`: of the
/// views. `reach`: the longest way, in the mesh's unit; places are the same if they are a fifth of it apart. Source:
/// Schoenberger et al., "Pixelwise View Selection for Unstructured Multi-View Stereo" (2016), its fusion.
void add_confirmed_depths(const SeenSurface& surface, std::span<const SeenView> views, std::span<const PlaneMap> maps,
                          std::size_t which, std::span<const std::size_t> others, float reach,
                          VertexAgreement& agreement);

}  // namespace p2mpp
