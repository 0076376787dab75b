#pragma once

#include <cstddef>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// A mesh with about `faces` triangles that looks like the given one: a texture or colours become a new texture, as
/// large as the given one. If it has no more triangles, it stays as it is. Throws InputError with
/// MeshCertificate::problem() unless it is sound, and as with_baked_texture(); Error as that, too.
[[nodiscard]] TriangleMesh level_of_detail(const TriangleMesh& mesh, std::size_t faces, int threads = 1);

}  // namespace p2mpp
