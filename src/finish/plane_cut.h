#pragma once

#include <optional>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// The part of a mesh above the plane z = 0, closed by a flat face on it, with its texture or colours. Vertices that
/// are nearer to the plane than `snap` move onto it. The face takes a colour of its border. Empty if the cut leaves no
/// simple outlines, as where two parts touch in the plane: another height will do. Precondition: closed, manifold,
/// wound outward, one vertex a place.
[[nodiscard]] std::optional<TriangleMesh> cut_at_ground(const TriangleMesh& mesh, float snap);

/// The area of a mesh's section by the plane z = height. Precondition: closed, wound outward.
[[nodiscard]] double section_area(const TriangleMesh& mesh, float height);

}  // namespace p2mpp
