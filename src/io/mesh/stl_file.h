#pragma once

#include <string>
#include <string_view>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// The bytes of a binary STL: each triangle with its unit normal (zero where it has no area) and its three corners.
[[nodiscard]] std::string format_stl(const TriangleMesh& mesh);

/// The mesh of a binary STL: corners at one place are one vertex, in the order in which they first come. Throws
/// InputError naming the file: a text, cut off, no triangle, a coordinate that is not finite.
[[nodiscard]] TriangleMesh parse_stl(std::string_view bytes, const std::string& name);

}  // namespace p2mpp
