#pragma once

#include <string>
#include <string_view>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// The vertices and triangles of a PLY file (ascii or binary, either byte order; other elements and
/// properties are skipped). A file without faces gives a mesh without triangles. Throws InputError
/// naming the file: no vertex, cut off, a face that is no triangle, an index out of range, a
/// coordinate that is not finite.
[[nodiscard]] TriangleMesh parse_ply(std::string_view bytes, const std::string& name);

/// Its vertices alone: the faces may be any polygons and are not looked at.
[[nodiscard]] Points parse_ply_points(std::string_view bytes, const std::string& name);

/// The bytes of a binary, little-endian PLY: x y z, nx ny nz where the mesh has normals, and vertex_indices where it
/// has triangles. `comment` must be one line.
[[nodiscard]] std::string format_ply(const TriangleMesh& mesh, const std::string& comment);

}  // namespace p2mpp
