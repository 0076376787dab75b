#pragma once

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

struct BakingOptions {
  int size = 1024;         ///< texels along a side; see TextureOptions
  bool normal_map = true;  ///< with the other mesh's normals
  int threads = 1;
};

/// Gives a mesh a new texture of the colours of another mesh. That mesh is almost at the same place: the nearest
/// surface along the normal counts that faces the same way. Vertices and triangles stay as they are. Throws InputError
/// if there are too many charts; Error if this build has no ray tracer. Precondition: the other mesh has a texture or
/// colours, and both have one origin.
[[nodiscard]] TriangleMesh with_baked_texture(TriangleMesh mesh, const TriangleMesh& coloured,
                                              const BakingOptions& options);

}  // namespace p2mpp
