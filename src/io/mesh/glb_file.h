#pragma once

#include <string>
#include <string_view>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// The bytes of a binary glTF 2.0: one mesh with positions, normals and indices and a plain material. Expects
/// triangles, and a normal for each vertex. `generator` is the asset's. Source:
/// https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html
[[nodiscard]] std::string format_glb(const TriangleMesh& mesh, const std::string& generator);

/// The same with a morph target, the vertices and normals of `to`, which has the same triangles, and an animation that
/// takes `seconds` to get there and as many back.
[[nodiscard]] std::string format_morphing_glb(const TriangleMesh& from, const TriangleMesh& to, float seconds,
                                              const std::string& generator);

/// The mesh of a GLB: one primitive of triangles with positions and indices, and perhaps normals, under nodes without a
/// transformation, as the above write it. Throws InputError naming the file for anything else.
[[nodiscard]] TriangleMesh parse_glb(std::string_view bytes, const std::string& name);

}  // namespace p2mpp
