#pragma once

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// A unit normal for each corner of each triangle [3F], zero where it vanishes: the mean, by area, of those triangles
/// around the vertex that make at most `crease_deg` with this one, so that edges of a table stay sharp and a wing is
/// smooth. 0: the triangle's own.
[[nodiscard]] Points corner_normals(const TriangleMesh& mesh, float crease_deg);

}  // namespace p2mpp
