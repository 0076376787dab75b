#pragma once

#include <string>
#include <string_view>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// The vertices and triangles of a Wavefront OBJ's text; see read_obj() for what is accepted and
/// thrown. A text without triangles gives a mesh without any.
[[nodiscard]] TriangleMesh parse_obj(std::string_view text, const std::string& name);

}  // namespace p2mpp
