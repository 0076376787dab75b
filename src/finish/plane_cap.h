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

}  // namespace p2mpp
