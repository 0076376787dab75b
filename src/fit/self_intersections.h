#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// The triangles that intersect another one with which they share no vertex, as indices in increasing order. Triangles
/// that only touch may count or not: see intersect(). Precondition: finite vertices, indices in range. Thread-safe.
[[nodiscard]] std::vector<std::int32_t> intersecting_triangles(std::span<const Eigen::Vector3f> vertices,
                                                               std::span<const Triangle> triangles);

/// Their number.
[[nodiscard]] std::size_t count_intersecting(std::span<const Eigen::Vector3f> vertices,
                                             std::span<const Triangle> triangles);

}  // namespace p2mpp
