#pragma once

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// Gives a mesh a new texture of size x size texels with the colours of another mesh, and a normal map with its
/// normals. That mesh is almost at the same place: the nearest surface along the normal counts that faces the same way.
/// Vertices and triangles stay as they are. Throws InputError if there are too many charts; Error if this build has no
/// ray tracer. Precondition: the other mesh has a texture or colours, and both have one origin; a size as in
/// TextureOptions.
[[nodiscard]] TriangleMesh with_baked_texture(TriangleMesh mesh, const TriangleMesh& coloured, int size,
                                              int threads = 1);

}  // namespace p2mpp
