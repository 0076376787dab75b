#pragma once

#include <string>
#include <string_view>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// The vertices and triangles of a Wavefront OBJ's text, read with tinyobjloader; polygons must be triangles,
/// everything but v and f is ignored. A text without triangles gives a mesh without any. Throws InputError naming the
/// file and what is wrong (no vertex, a face with four corners, an index out of range).
[[nodiscard]] TriangleMesh parse_obj(std::string_view text, const std::string& name);

/// The text of an OBJ: v x y z with 9 significant digits, vn where the mesh has normals, f from 1. Each line of
/// `comment` is a comment.
[[nodiscard]] std::string format_obj(const TriangleMesh& mesh, const std::string& comment);

}  // namespace p2mpp
