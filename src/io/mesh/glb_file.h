#pragma once

#include <string>
#include <string_view>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// Encodes a binary glTF 2.0: one mesh with positions, normals and indices, and a plain material. `generator` is a
/// field of the file's asset. Precondition: triangles, and a normal for each vertex. Source:
/// https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html
[[nodiscard]] std::string format_glb(const TriangleMesh& mesh, const std::string& generator);

/// The same with a morph target, the vertices and normals of `to`, and an animation of `seconds` to it and `seconds`
/// back. Precondition: both meshes have the same triangles.
[[nodiscard]] std::string format_morphing_glb(const TriangleMesh& from, const TriangleMesh& to, float seconds,
                                              const std::string& generator);

/// Decodes a GLB with one primitive of triangles, with positions, indices and optionally normals, under nodes without a
/// transform, as the functions above write it. Throws InputError naming the file for anything else.
[[nodiscard]] TriangleMesh parse_glb(std::string_view bytes, const std::string& name);

}  // namespace p2mpp
