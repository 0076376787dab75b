#pragma once

#include <string>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// The bytes of a binary STL: each triangle with its unit normal (zero where it has no area) and its three corners.
[[nodiscard]] std::string format_stl(const TriangleMesh& mesh);

}  // namespace p2mpp
