#pragma once

#include <span>

#include "refinement/plane_search.h"

namespace p2mpp {

/// A view with its planes.
struct MatchedView {
  SeenView seen;
  const PlaneMap* map;
};

/// Adds to a mesh's vertices the depths of a view that at least two others confirm: as slope() the sum of weights times
/// ways along the normal, to where the photographs see the surface, as curvature() that of weights.
/// agreement() is the sum of the ways' lengths times weights, negative, and pixels() that of weights. `reach`: the
/// longest way, in the mesh's unit; places are the same if they are a fifth of it apart.
/// Source: Schoenberger et al., "Pixelwise View Selection for Unstructured Multi-View Stereo" (2016), its fusion.
void add_confirmed_depths(const SeenSurface& surface, const MatchedView& view, std::span<const MatchedView> others,
                          float reach, VertexAgreement& agreement);

}  // namespace p2mpp
