#pragma once

#include <cstddef>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// The size of a level's texture: a power of two that is not larger than the mesh's.
[[nodiscard]] int level_texture_size(const TriangleMesh& mesh);

/// A mesh with about `faces` triangles that looks like the given one: a texture or colours become a new texture of a
/// size, with a normal map of what the triangles lack. If it has no more triangles and its texture is not larger, it
/// stays as it is. Throws InputError with MeshCertificate::problem() unless it is sound, and as with_baked_texture();
/// Error as that, too.
[[nodiscard]] TriangleMesh level_of_detail(const TriangleMesh& mesh, std::size_t faces, int texture_size,
                                           int threads = 1);

}  // namespace p2mpp
