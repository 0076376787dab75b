#pragma once

#include <string>

#include "p2mpp/sample.h"

namespace p2mpp {

/// Why stage 2 cannot begin from a sample's initial mesh (one clause), empty if it can or if there is none: its numbers
/// of vertices and triangles, their indices, a vertex that is not finite, or no vertex in any of stage 2's views.
/// Precondition: the sample's views can be computed.
[[nodiscard]] std::string initial_mesh_problem(const Sample& sample);

}  // namespace p2mpp
