#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fit/fit_surface.h"

namespace p2mpp {

struct VertexPull;

/// Vertices and their neighbours.
class VertexGraph {
 public:
  explicit VertexGraph(const FitSurface& surface);
  /// The clusters of another graph's vertices: two are neighbours if any of their vertices are. cluster_of: [vertices].
  VertexGraph(const VertexGraph& graph, const std::vector<std::int32_t>& cluster_of, std::size_t clusters);

  [[nodiscard]] std::size_t size() const { return first_.size() - 1; }
  /// Ascending.
  [[nodiscard]] std::span<const std::int32_t> neighbours(std::size_t vertex) const {
    return std::span(neighbours_).subspan(first_[vertex], first_[vertex + 1] - first_[vertex]);
  }

 private:
  std::vector<std::size_t> first_ = {0};  // [N+1]
  std::vector<std::int32_t> neighbours_;
};

/// The pairs of vertices that have a common neighbour or are neighbours, as often as they do: about 50 a vertex of a
/// regular mesh.
[[nodiscard]] std::size_t pairs_of_neighbours(const VertexGraph& graph);

/// A graph and a coarser one, with a quarter or so of the vertices: each of them stands for a vertex and those of its
/// neighbours that no other one stands for.
class CoarserGraph {
 public:
  explicit CoarserGraph(VertexGraph graph);

  [[nodiscard]] VertexGraph coarse_graph() const { return {graph_, cluster_of_, clusters_}; }

  /// The sums of the pulls of the vertices that a coarse one stands for.
  [[nodiscard]] std::vector<VertexPull> restricted(const std::vector<VertexPull>& pulls) const;
  /// Smooth displacements of the vertices from those of the coarse ones.
  [[nodiscard]] std::vector<Eigen::Vector3f> prolonged(const std::vector<Eigen::Vector3f>& coarse) const;

 private:
  VertexGraph graph_;
  std::vector<std::int32_t> cluster_of_;
  std::size_t clusters_ = 0;
};

}  // namespace p2mpp
