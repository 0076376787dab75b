#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// A closed manifold surface whose edges can be collapsed, split and flipped; it stays one. A half-edge is
/// 3 * its triangle + its first corner's place in it. The numbers of removed triangles and vertices are not reused.
class CornerTable {
 public:
  /// Throws InputError unless every edge has two triangles, which traverse it in opposite directions, and every vertex
  /// one fan of triangles.
  explicit CornerTable(const TriangleMesh& mesh);

  [[nodiscard]] std::size_t half_edges() const { return origin_.size(); }  ///< including removed ones
  [[nodiscard]] std::size_t vertex_count() const { return vertex_count_; }
  [[nodiscard]] bool is_alive(std::size_t half_edge) const { return origin_[half_edge] >= 0; }
  [[nodiscard]] static std::size_t next(std::size_t half_edge) {
    return half_edge % 3 == 2 ? half_edge - 2 : half_edge + 1;
  }
  [[nodiscard]] static std::size_t previous(std::size_t half_edge) {
    return half_edge % 3 == 0 ? half_edge + 2 : half_edge - 1;
  }
  [[nodiscard]] std::size_t opposite(std::size_t half_edge) const {
    return static_cast<std::size_t>(opposite_[half_edge]);
  }
  [[nodiscard]] std::int32_t origin(std::size_t half_edge) const { return origin_[half_edge]; }
  [[nodiscard]] std::int32_t target(std::size_t half_edge) const { return origin_[next(half_edge)]; }
  /// The vertex across a half-edge, in its triangle.
  [[nodiscard]] std::int32_t apex(std::size_t half_edge) const { return origin_[previous(half_edge)]; }
  [[nodiscard]] bool has_vertex(std::size_t vertex) const { return leaving_[vertex] >= 0; }
  [[nodiscard]] std::size_t vertices_ever() const { return leaving_.size(); }

  /// Calls visit(half_edge) for each half-edge that leaves a vertex.
  template <typename Visit>
  void around(std::int32_t vertex, const Visit& visit) const {
    const auto first = static_cast<std::size_t>(leaving_[static_cast<std::size_t>(vertex)]);
    std::size_t half_edge = first;
    do {
      visit(half_edge);
      half_edge = opposite(previous(half_edge));
    } while (half_edge != first);
  }
  [[nodiscard]] int valence(std::int32_t vertex) const {
    int count = 0;
    around(vertex, [&](std::size_t) { ++count; });
    return count;
  }
  [[nodiscard]] bool has_edge(std::int32_t a, std::int32_t b) const {
    bool found = false;
    around(a, [&](std::size_t half_edge) { found = found || target(half_edge) == b; });
    return found;
  }

  /// Whether the surface stays a manifold of the same topology if an edge's ends become one vertex.
  [[nodiscard]] bool can_collapse(std::size_t half_edge) const;
  /// The target becomes the origin. Precondition: can_collapse().
  void collapse(std::size_t half_edge);
  /// Returns the new vertex, in the middle of the edge: the largest number of all.
  std::int32_t split(std::size_t half_edge);
  [[nodiscard]] bool can_flip(std::size_t half_edge) const;
  /// The edge joins the apices of its triangles instead. Precondition: can_flip().
  void flip(std::size_t half_edge);

  /// The remaining mesh, with vertices in their order. positions: [vertices_ever()].
  [[nodiscard]] TriangleMesh mesh(const Points& positions) const;

 private:
  void pair(std::size_t a, std::size_t b) {
    opposite_[a] = static_cast<std::int32_t>(b);
    opposite_[b] = static_cast<std::int32_t>(a);
  }
  void close(std::size_t half_edge);

  std::vector<std::int32_t> origin_, opposite_;  // of half-edges; origin -1: removed
  std::vector<std::int32_t> leaving_;            // of vertices: a half-edge; -1: removed
  std::size_t vertex_count_ = 0;
};

}  // namespace p2mpp
