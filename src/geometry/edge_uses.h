#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// The same edge whichever way it is traversed: smaller index first.
[[nodiscard]] Edge undirected(std::int32_t a, std::int32_t b);

/// One side of one triangle.
struct EdgeUse {
  Edge edge{};               ///< undirected
  std::size_t triangle = 0;  ///< its index
  bool forward = false;      ///< the triangle runs from the smaller index to the larger
};

/// The sides of all triangles, sorted by edge, then by triangle: [3F]. The sides on one edge are
/// neighbours.
[[nodiscard]] std::vector<EdgeUse> sorted_edge_uses(const std::vector<Triangle>& triangles);

/// The leading uses of the same edge; empty only if there are none.
[[nodiscard]] std::span<const EdgeUse> first_edge(std::span<const EdgeUse> uses);

}  // namespace p2mpp
