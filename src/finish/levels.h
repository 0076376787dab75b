#pragma once

#include <cstddef>

#include "p2mpp/triangle_mesh.h"
#include "texture/baked_texture.h"

namespace p2mpp {

/// The same surface with about as many triangles as wanted, more of them where it is curved. The topology, with all
/// components and holes, does not change, and no triangles begin to intersect, so that thin parts may keep more
/// triangles. No normals, texture or colours. Throws InputError unless the mesh is closed, manifold and wound
/// consistently. Precondition: one vertex a place. Deterministic. Source: Garland and Heckbert, "Surface Simplification
/// Using Quadric Error Metrics" (SIGGRAPH 1997).
[[nodiscard]] TriangleMesh with_fewer_faces(const TriangleMesh& mesh, std::size_t faces);

/// The size of a level's texture: a power of two that is not larger than the mesh's.
[[nodiscard]] int level_texture_size(const TriangleMesh& mesh);

/// The surface of a level of detail: about `faces` triangles, without texture and colours. A mesh that has no more
/// triangles stays as it is. Throws InputError with MeshCertificate::problem() unless the mesh is sound, and Error.
[[nodiscard]] TriangleMesh level_surface(const TriangleMesh& mesh, std::size_t faces, int threads = 1);

/// A level's surface that looks like the mesh: with a texture of its texture or colours, and if so wanted a normal map
/// of what the triangles lack. The mesh itself stays as it is, unless its texture is larger; it needs no normal map.
/// Throws as with_baked_texture().
[[nodiscard]] TriangleMesh painted_level(TriangleMesh surface, const TriangleMesh& mesh, const BakingOptions& options);

}  // namespace p2mpp
