#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// An edge independent of its direction: smaller index first.
[[nodiscard]] Edge undirected(std::int32_t a, std::int32_t b);

/// One side of one triangle.
struct EdgeUse {
  Edge edge{};               ///< undirected
  std::size_t triangle = 0;  ///< its index
  bool forward = false;      ///< the triangle traverses the edge from the smaller index to the larger
};

/// The sides of all triangles, sorted by edge, then by triangle: [3F]. The sides on one edge are adjacent.
[[nodiscard]] std::vector<EdgeUse> sorted_edge_uses(const std::vector<Triangle>& triangles);

/// The first edge's uses in a sorted list; empty only if `uses` is empty.
[[nodiscard]] std::span<const EdgeUse> first_edge(std::span<const EdgeUse> uses);

/// The fans of triangles at each vertex [V]: triangles are of one fan if they share an edge that no third one has. Of a
/// manifold, each vertex has one. uses: sorted_edge_uses().
[[nodiscard]] std::vector<int> fans_at_vertices(const TriangleMesh& mesh, std::span<const EdgeUse> uses);

/// The triangles around each vertex, one list after the other, each in the triangles' order.
struct TriangleFans {
  std::vector<std::uint32_t> begin;  ///< [V + 1] places in `triangles`
  std::vector<std::uint32_t> triangles;

  [[nodiscard]] std::span<const std::uint32_t> of(std::size_t vertex) const {
    return std::span(triangles).subspan(begin[vertex], begin[vertex + 1] - begin[vertex]);
  }
};

/// Precondition: indices below `vertices`.
[[nodiscard]] TriangleFans triangle_fans(std::span<const Triangle> triangles, std::size_t vertices);

/// The triangles to flip so that neighbours agree in their winding. Neighbours share an edge that no third triangle
/// has.
struct Winding {
  std::vector<bool> flips;             ///< [F]; false for the first triangle of each component
  std::vector<std::size_t> component;  ///< [F] connected component of each triangle, from 0
  std::size_t component_count = 0;
  bool orientable = true;  ///< false if no choice makes all neighbours agree
};
[[nodiscard]] Winding find_winding(const std::vector<Triangle>& triangles);

/// The same triangles in the same order, wound consistently, each component with a volume that is not negative. Works
/// for any mesh: open, of several parts, or with the mixed winding of the published face list. Precondition: indices in
/// range.
[[nodiscard]] std::vector<Triangle> wound_for_display(const TriangleMesh& mesh);

/// Whether every edge has exactly two triangles.
[[nodiscard]] bool is_closed(const std::vector<Triangle>& triangles);

}  // namespace p2mpp
