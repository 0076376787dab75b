#pragma once

#include <string>
#include <string_view>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// Parses a Wavefront OBJ with tinyobjloader. Faces must be triangles and may be missing; everything except v and f is
/// ignored. Throws InputError naming the file and the problem (no vertex, a face with four corners, an index out of
/// range).
[[nodiscard]] TriangleMesh parse_obj(std::string_view text, const std::string& name);

/// Encodes an OBJ: v x y z with 9 significant digits, vn if the mesh has normals, f counted from 1. Each line of
/// `comment` becomes a comment.
[[nodiscard]] std::string format_obj(const TriangleMesh& mesh, const std::string& comment);

}  // namespace p2mpp
