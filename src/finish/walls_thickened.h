#pragma once

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// Moves the vertices of thin walls outward until none is thinner than `wall`, as far as they meet no other face.
/// Vertices on the plane z = 0 stay on it, and the others above it. Sharp edges are thin and stay. Triangles, texture
/// and colours stay as they are. Throws Error if this build has no ray tracer. Precondition: a sound mesh
/// (MeshCertificate).
[[nodiscard]] TriangleMesh with_thick_walls(TriangleMesh mesh, double wall, int threads = 1);

}  // namespace p2mpp
