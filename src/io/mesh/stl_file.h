#pragma once

#include <string>
#include <string_view>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// Encodes a binary STL: the unit normal (zero for a triangle without area) and the three corners of each triangle. Its
/// header of 80 bytes has room for the end of `comment` only, from ", frame " on.
[[nodiscard]] std::string format_stl(const TriangleMesh& mesh, const std::string& comment = {});

/// Parses a binary STL. Corners at the same position become one vertex, in the order of their first occurrence. Throws
/// InputError naming the file and the problem: a text STL, truncated, no triangle, a coordinate that is not finite.
[[nodiscard]] TriangleMesh parse_stl(std::string_view bytes, const std::string& name);

}  // namespace p2mpp
