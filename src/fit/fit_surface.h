#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// Throws InputError if there is no triangle or one names a missing vertex.
void check_triangle_indices(std::size_t vertex_count, std::span<const Triangle> triangles);

/// An edge with the triangles on its sides.
struct SurfaceEdge {
  Edge edge{};
  std::size_t left = 0, right = 0;  ///< triangles; the same at a border
};

/// The topology of a list of triangles, for any number of meshes that share it.
class FitSurface {
 public:
  /// Throws InputError if there is no triangle or one names a missing vertex or a vertex twice.
  FitSurface(std::size_t vertex_count, std::vector<Triangle> triangles);

  [[nodiscard]] std::size_t vertex_count() const { return first_.size() - 1; }
  [[nodiscard]] const std::vector<Triangle>& triangles() const { return triangles_; }
  /// Sorted by vertices.
  [[nodiscard]] const std::vector<SurfaceEdge>& edges() const { return edges_; }
  /// Ascending; empty for a vertex that no triangle names.
  [[nodiscard]] std::span<const std::int32_t> neighbours(std::size_t vertex) const {
    return std::span(neighbours_).subspan(first_[vertex], first_[vertex + 1] - first_[vertex]);
  }

 private:
  std::vector<Triangle> triangles_;
  std::vector<SurfaceEdge> edges_;
  std::vector<std::size_t> first_;  // [N+1]
  std::vector<std::int32_t> neighbours_;
};

/// Unit normals of the vertices, weighted by area; zero if they cancel out.
[[nodiscard]] std::vector<Eigen::Vector3f> vertex_normals(const FitSurface& surface,
                                                          std::span<const Eigen::Vector3f> vertices);

/// The mean length of the edges.
[[nodiscard]] float mean_edge_length(const FitSurface& surface, std::span<const Eigen::Vector3f> vertices);

/// Moves each vertex, within its tangent plane, by a share of the way to the mean of its neighbours, weighted by the
/// squares of the areas around them. Vertices thus move to where they are too far apart.
void even_out(const FitSurface& surface, float share, Points& vertices);

}  // namespace p2mpp
