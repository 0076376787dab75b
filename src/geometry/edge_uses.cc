#include "geometry/edge_uses.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "geometry/disjoint_sets.h"

namespace p2mpp {
namespace {

/// Index of a vertex in the list of all triangles' corners [3F].
std::size_t find_corner(const TriangleMesh& mesh, std::size_t triangle, std::int32_t vertex) {
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
      corners.unite(find_corner(mesh, edge[0].triangle, vertex), find_corner(mesh, edge[1].triangle, vertex));
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

namespace {

/// A triangle across an edge and whether the two agree in their winding.
struct AdjacentTriangle {
  std::size_t triangle = 0;
  bool agrees = false;
};

struct EdgeNeighbours {
  std::array<AdjacentTriangle, 3> across;
  std::uint8_t count = 0;
};

/// The neighbours of each triangle [F].
std::vector<EdgeNeighbours> find_neighbours(const std::vector<Triangle>& triangles) {
  std::vector<EdgeNeighbours> neighbours(triangles.size());
  const auto add = [&](const EdgeUse& from, const EdgeUse& to) {
    EdgeNeighbours& found = neighbours[from.triangle];
    found.across[found.count++] = {to.triangle, from.forward != to.forward};
  };
  const std::vector<EdgeUse> uses = sorted_edge_uses(triangles);
  for (std::span<const EdgeUse> rest = uses; !rest.empty();) {
    const auto edge = first_edge(rest);
    rest = rest.subspan(edge.size());
    if (edge.size() != 2) continue;
    add(edge[0], edge[1]);
    add(edge[1], edge[0]);
  }
  return neighbours;
}

/// Visits the component of a triangle.
void follow(std::size_t first, const std::vector<EdgeNeighbours>& neighbours, std::vector<bool>& seen,
            Winding& winding) {
  std::vector<std::size_t> pending{first};
  seen[first] = true;
  while (!pending.empty()) {
    const std::size_t current = pending.back();
    pending.pop_back();
    winding.component[current] = winding.component_count;
    for (std::size_t i = 0; i < neighbours[current].count; ++i) {
      const auto& [next, agrees] = neighbours[current].across[i];
      const bool flip = winding.flips[current] == agrees;
      if (!seen[next]) {
        winding.flips[next] = flip;
        seen[next] = true;
        pending.push_back(next);
      } else if (winding.flips[next] != flip) {
        winding.orientable = false;
      }
    }
  }
  ++winding.component_count;
}

void flip(Triangle& triangle) { std::swap(triangle[1], triangle[2]); }

}  // namespace

Winding find_winding(const std::vector<Triangle>& triangles) {
  const std::vector<EdgeNeighbours> neighbours = find_neighbours(triangles);
  Winding winding{.flips = std::vector<bool>(triangles.size()),
                  .component = std::vector<std::size_t>(triangles.size())};
  std::vector<bool> seen(triangles.size());
  for (std::size_t triangle = 0; triangle < triangles.size(); ++triangle) {
    if (!seen[triangle]) follow(triangle, neighbours, seen, winding);
  }
  return winding;
}

std::vector<Triangle> wound_for_display(const TriangleMesh& mesh) {
  const Winding winding = find_winding(mesh.triangles);
  const auto position = [&](std::int32_t vertex) -> Eigen::Vector3d {
    return mesh.vertices[static_cast<std::size_t>(vertex)].cast<double>();
  };
  std::vector<Triangle> triangles = mesh.triangles;
  std::vector<double> volumes(winding.component_count);
  std::vector<std::int32_t> apexes(winding.component_count, -1);
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    if (winding.flips[t]) flip(triangles[t]);
    const auto& [a, b, c] = triangles[t];
    std::int32_t& apex = apexes[winding.component[t]];
    if (apex < 0) apex = a;
    const Eigen::Vector3d from = position(apex);
    volumes[winding.component[t]] += (position(a) - from).dot((position(b) - from).cross(position(c) - from)) / 6;
  }
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    if (volumes[winding.component[t]] < 0) flip(triangles[t]);
  }
  return triangles;
}

bool is_closed(const std::vector<Triangle>& triangles) {
  const std::vector<EdgeUse> uses = sorted_edge_uses(triangles);
  for (std::span<const EdgeUse> rest = uses; !rest.empty();) {
    const auto edge = first_edge(rest);
    if (edge.size() != 2) return false;
    rest = rest.subspan(edge.size());
  }
  return true;
}

}  // namespace p2mpp
