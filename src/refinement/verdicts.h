#pragma once

#include <Eigen/Geometry>
#include <vector>

#include "p2mpp/triangle_mesh.h"
#include "refinement/photo_gradient.h"

namespace p2mpp {

/// The share of its change that each vertex of a mesh keeps: none in parts in which the photographs that were left out
/// do not agree better, and none at all if that is so in many parts, as on a shiny object. `before`: the vertices
/// before the change; `was` and `is`: what those photographs say before and after. A part is a block of a sixteenth of
/// the mesh's `box`, with those around it.
[[nodiscard]] std::vector<float> confirmed_shares(const Points& before, const Eigen::AlignedBox3f& box,
                                                  const VertexAgreement& was, const VertexAgreement& is);

}  // namespace p2mpp
