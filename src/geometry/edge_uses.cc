#include "geometry/edge_uses.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "geometry/disjoint_sets.h"

namespace p2mpp {
namespace {

/// Index of a vertex in the list of all triangles' corners [3F].
std::size_t corner_of(const TriangleMesh& mesh, std::size_t triangle, std::int32_t vertex) {
  const Triangle& corners = mesh.triangles[triangle];
  const auto place = std::find(corners.begin(), corners.end(), vertex) - corners.begin();
  return 3 * triangle + static_cast<std::size_t>(place);
}

}  // namespace

Edge undirected(std::int32_t a, std::int32_t b) { return {std::min(a, b), std::max(a, b)}; }

std::vector<EdgeUse> sorted_edge_uses(const std::vector<Triangle>& triangles) {
  std::vector<EdgeUse> uses;
  uses.reserve(3 * triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const auto& [a, b, c] = triangles[t];
    uses.push_back({undirected(a, b), t, a < b});
    uses.push_back({undirected(b, c), t, b < c});
    uses.push_back({undirected(c, a), t, c < a});
  }
  std::sort(uses.begin(), uses.end(), [](const EdgeUse& left, const EdgeUse& right) {
    return std::tie(left.edge, left.triangle) < std::tie(right.edge, right.triangle);
  });
  return uses;
}

std::span<const EdgeUse> first_edge(std::span<const EdgeUse> uses) {
  const auto end =
      std::find_if(uses.begin(), uses.end(), [&](const EdgeUse& use) { return use.edge != uses.front().edge; });
  return uses.first(static_cast<std::size_t>(end - uses.begin()));
}

std::vector<int> fans_at_vertices(const TriangleMesh& mesh, std::span<const EdgeUse> uses) {
  DisjointSets corners(3 * mesh.triangles.size());
  while (!uses.empty()) {
    const auto edge = first_edge(uses);
    uses = uses.subspan(edge.size());
    if (edge.size() != 2) continue;
    for (const std::int32_t vertex : edge[0].edge) {
      corners.unite(corner_of(mesh, edge[0].triangle, vertex), corner_of(mesh, edge[1].triangle, vertex));
    }
  }
  std::vector<int> fans(mesh.vertices.size());
  for (std::size_t corner = 0; corner < 3 * mesh.triangles.size(); ++corner) {
    const auto vertex = static_cast<std::size_t>(mesh.triangles[corner / 3][corner % 3]);
    if (corners.is_root(corner)) ++fans[vertex];
  }
  return fans;
}

TriangleFans triangle_fans(std::span<const Triangle> triangles, std::size_t vertices) {
  TriangleFans fans{std::vector<std::uint32_t>(vertices + 1), std::vector<std::uint32_t>(3 * triangles.size())};
  for (const Triangle& triangle : triangles) {
    for (const std::int32_t vertex : triangle) ++fans.begin[static_cast<std::size_t>(vertex) + 1];
  }
  std::partial_sum(fans.begin.begin(), fans.begin.end(), fans.begin.begin());
  std::vector<std::uint32_t> next = fans.begin;
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (const std::int32_t vertex : triangles[t]) {
      fans.triangles[next[static_cast<std::size_t>(vertex)]++] = static_cast<std::uint32_t>(t);
    }
  }
  return fans;
}

}  // namespace p2mpp
