#pragma once

#include <string>
#include <string_view>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// Parses a PLY (ASCII or binary, either byte order). Faces must be triangles and may be missing; other elements and
/// properties are skipped. Throws InputError naming the file and the problem: no vertex, truncated, a face that is not
/// a triangle, an index out of range, a coordinate that is not finite.
[[nodiscard]] TriangleMesh parse_ply(std::string_view bytes, const std::string& name);

/// Parses only the vertices of a PLY. Faces may be any polygons and are ignored.
[[nodiscard]] Points parse_ply_points(std::string_view bytes, const std::string& name);

/// Encodes a binary, little-endian PLY: x y z, nx ny nz if the mesh has normals, and vertex_indices if it has
/// triangles. Precondition: `comment` is one line.
[[nodiscard]] std::string format_ply(const TriangleMesh& mesh, const std::string& comment);

}  // namespace p2mpp
