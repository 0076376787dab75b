#pragma once

#include <cstddef>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// The same surface with about as many triangles as wanted, more of them where it is curved. The topology, with all
/// components and holes, does not change, and no triangles begin to intersect, so that thin parts may keep more
/// triangles. No normals, texture or colours. Throws InputError unless the mesh is closed, manifold and wound
/// consistently. Precondition: one vertex a place. Deterministic. Source: Garland and Heckbert, "Surface Simplification
/// Using Quadric Error Metrics" (SIGGRAPH 1997).
[[nodiscard]] TriangleMesh with_fewer_faces(const TriangleMesh& mesh, std::size_t faces);

}  // namespace p2mpp
