#include "fit/vertex_graph.h"

#include <algorithm>
#include <utility>

#include "fit/smooth_system.h"

namespace p2mpp {

VertexGraph::VertexGraph(const FitSurface& surface) {
  for (std::size_t i = 0; i < surface.vertex_count(); ++i) {
    const std::span<const std::int32_t> around = surface.neighbours(i);
    neighbours_.insert(neighbours_.end(), around.begin(), around.end());
    first_.push_back(neighbours_.size());
  }
}

VertexGraph::VertexGraph(const VertexGraph& graph, const std::vector<std::int32_t>& cluster_of, std::size_t clusters) {
  std::vector<std::pair<std::int32_t, std::int32_t>> edges;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    for (const std::int32_t other : graph.neighbours(i)) {
      const std::int32_t from = cluster_of[i], to = cluster_of[static_cast<std::size_t>(other)];
      if (from != to) edges.emplace_back(from, to);
    }
  }
  std::ranges::sort(edges);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  first_.assign(clusters + 1, 0);
  for (const auto& [from, to] : edges) {
    ++first_[static_cast<std::size_t>(from) + 1];
    neighbours_.push_back(to);
  }
  for (std::size_t i = 0; i < clusters; ++i) first_[i + 1] += first_[i];
}

std::size_t pairs_of_neighbours(const VertexGraph& graph) {
  std::size_t pairs = 0;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const std::size_t around = graph.neighbours(i).size() + 1;
    pairs += around * around;
  }
  return pairs;
}

CoarserGraph::CoarserGraph(VertexGraph graph) : graph_(std::move(graph)), cluster_of_(graph_.size(), -1) {
  for (std::size_t i = 0; i < graph_.size(); ++i) {
    if (cluster_of_[i] >= 0) continue;
    const auto cluster = static_cast<std::int32_t>(clusters_++);
    cluster_of_[i] = cluster;
    for (const std::int32_t other : graph_.neighbours(i)) {
      std::int32_t& of_other = cluster_of_[static_cast<std::size_t>(other)];
      if (of_other < 0) of_other = cluster;
    }
  }
}

std::vector<VertexPull> CoarserGraph::restricted(const std::vector<VertexPull>& pulls) const {
  std::vector<VertexPull> sums(clusters_);
  for (std::size_t i = 0; i < pulls.size(); ++i) {
    VertexPull& sum = sums[static_cast<std::size_t>(cluster_of_[i])];
    sum.weights += pulls[i].weights;
    sum.pull += pulls[i].pull;
  }
  return sums;
}

// The mean with the neighbours, some times, takes the steps between clusters away.
std::vector<Eigen::Vector3f> CoarserGraph::prolonged(const std::vector<Eigen::Vector3f>& coarse) const {
  constexpr int kPasses = 4;
  std::vector<Eigen::Vector3f> fine(graph_.size()), before(graph_.size());
  for (std::size_t i = 0; i < fine.size(); ++i) fine[i] = coarse[static_cast<std::size_t>(cluster_of_[i])];
  for (int pass = 0; pass < kPasses; ++pass) {
    std::swap(fine, before);
    for (std::size_t i = 0; i < fine.size(); ++i) {
      const std::span<const std::int32_t> around = graph_.neighbours(i);
      Eigen::Vector3f sum = before[i];
      for (const std::int32_t other : around) sum += before[static_cast<std::size_t>(other)];
      fine[i] = sum / static_cast<float>(around.size() + 1);
    }
  }
  return fine;
}

}  // namespace p2mpp
