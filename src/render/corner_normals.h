#pragma once

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// A unit normal for each corner of each triangle [3F], zero if undefined: the area-weighted mean over the triangles
/// around the vertex whose normals differ from this one's by at most `crease_deg` degrees. Edges of a table stay sharp,
/// and a wing is smooth. 0: the triangle's own normal.
[[nodiscard]] Points corner_normals(const TriangleMesh& mesh, float crease_deg);

}  // namespace p2mpp
