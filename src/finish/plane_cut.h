#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// Polygons with holes, cut into triangles.
/// loops: numbers of points, those around an area counter-clockwise and those around holes clockwise; each point is in
/// one loop, and no side touches another one. The triangles are counter-clockwise, use these points alone, and have an
/// area, exactly. Empty if loops break these rules. Source of the bridges to holes: Eberly, "Triangulation by Ear
/// Clipping" (2002).
[[nodiscard]] std::optional<std::vector<Triangle>> triangles_of_loops(std::span<const Eigen::Vector2f> points,
                                                                      std::vector<std::vector<std::int32_t>> loops);

/// The part of a mesh above the plane z = 0, closed by a flat face on it, with its texture or colours. Vertices that
/// are nearer to the plane than `snap` move onto it. The face takes a colour of its border. Empty if the cut leaves no
/// simple outlines, as where two parts touch in the plane: another height will do. Precondition: closed, manifold,
/// wound outward, one vertex a place.
[[nodiscard]] std::optional<TriangleMesh> cut_at_ground(const TriangleMesh& mesh, float snap);

/// The area of a mesh's section by the plane z = height. Precondition: closed, wound outward.
[[nodiscard]] double section_area(const TriangleMesh& mesh, float height);

}  // namespace p2mpp
