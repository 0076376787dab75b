#pragma once

#include <string>

#include "p2mpp/sample.h"

namespace p2mpp {

/// Why a mesh cannot be an initial mesh (one clause that follows its name), empty if it can. Checks the numbers of
/// vertices and triangles, that vertices are finite, and that no triangle names a missing vertex or a vertex twice.
/// Counts from 1.
[[nodiscard]] std::string describe_problem(const TriangleMesh& mesh);

/// Why stage 2 cannot begin from a sample's initial mesh (one clause), empty if it can or if there is none:
/// describe_problem(), or no vertex in any of stage 2's views. Precondition: the sample's views can be computed.
[[nodiscard]] std::string initial_mesh_problem(const Sample& sample);

}  // namespace p2mpp
