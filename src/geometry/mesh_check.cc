#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "geometry/disjoint_sets.h"
#include "geometry/edge_uses.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {
namespace {

template <typename Index>
std::int64_t from_one(Index index) {
  return static_cast<std::int64_t>(index) + 1;
}

std::string name_edge(const Edge& edge) {
  return fmt::format("edge {}-{}, counted from 1,", from_one(edge[0]), from_one(edge[1]));
}

MeshCheck check_not_empty(const TriangleMesh& mesh) {
  if (mesh.vertices.empty()) return {MeshStatus::kEmpty, "0 vertices; expected at least 1"};
  if (mesh.triangles.empty()) return {MeshStatus::kEmpty, "0 triangles; expected at least 1"};
  return {};
}

MeshCheck check_finite(const TriangleMesh& mesh) {
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
    const Eigen::Vector3f& p = mesh.vertices[v];
    if (!p.allFinite()) {
      return {MeshStatus::kNonFiniteVertex,
              fmt::format("vertex {}, counted from 1, is ({}, {}, {}); expected finite coordinates", from_one(v), p.x(),
                          p.y(), p.z())};
    }
  }
  return {};
}

MeshCheck check_bounds(const TriangleMesh& mesh) {
  const auto count = static_cast<std::int64_t>(mesh.vertices.size());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    for (const std::int32_t v : mesh.triangles[t]) {
      if (v < 0 || v >= count) {
        return {MeshStatus::kVertexOutOfBounds,
                fmt::format("triangle {}, counted from 1, names vertex {}; expected 1 to {}", from_one(t), from_one(v),
                            count)};
      }
    }
  }
  return {};
}

MeshCheck check_degenerate(const TriangleMesh& mesh) {
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto& [a, b, c] = mesh.triangles[t];
    if (a == b || b == c || c == a) {
      return {MeshStatus::kDegenerateTriangle,
              fmt::format("triangle {}, counted from 1, is {} {} {}; expected three different "
                          "vertices",
                          from_one(t), from_one(a), from_one(b), from_one(c))};
    }
  }
  return {};
}

MeshCheck check_unused(const TriangleMesh& mesh) {
  std::vector<bool> is_used(mesh.vertices.size());
  for (const Triangle& triangle : mesh.triangles) {
    for (const std::int32_t v : triangle) is_used[static_cast<std::size_t>(v)] = true;
  }
  const auto unused = std::find(is_used.begin(), is_used.end(), false);
  if (unused == is_used.end()) return {};
  return {MeshStatus::kUnusedVertex,
          fmt::format("vertex {}, counted from 1, is in no triangle; expected every vertex in one",
                      from_one(unused - is_used.begin()))};
}

/// The first edge that does not have two triangles; holes are reported before edges with more.
MeshCheck check_edges(std::span<const EdgeUse> uses) {
  MeshCheck crowded;
  while (!uses.empty()) {
    const auto edge = first_edge(uses);
    uses = uses.subspan(edge.size());
    if (edge.size() == 1) {
      return {MeshStatus::kHole, fmt::format("{} has 1 triangle; expected 2", name_edge(edge.front().edge))};
    }
    if (edge.size() > 2 && crowded.ok()) {
      crowded = {MeshStatus::kNotManifold,
                 fmt::format("{} has {} triangles; expected 2", name_edge(edge.front().edge), edge.size())};
    }
  }
  return crowded;
}

/// Checks that the triangles around each vertex form a single fan. Precondition: two uses per edge.
MeshCheck check_fans(const TriangleMesh& mesh, std::span<const EdgeUse> uses) {
  const std::vector<int> fans = fans_at_vertices(mesh, uses);
  const auto pinched = std::find_if(fans.begin(), fans.end(), [](int count) { return count > 1; });
  if (pinched == fans.end()) return {};
  return {MeshStatus::kNotManifold,
          fmt::format("vertex {}, counted from 1, joins {} separate fans of triangles; expected 1",
                      from_one(pinched - fans.begin()), *pinched)};
}

/// Precondition: two uses per edge.
MeshCheck check_winding(std::span<const EdgeUse> uses) {
  for (std::size_t i = 0; i + 1 < uses.size(); i += 2) {
    if (uses[i].forward == uses[i + 1].forward) {
      return {MeshStatus::kInconsistentWinding,
              fmt::format("{} is traversed in the same direction by triangles {} and {}; expected "
                          "opposite directions",
                          name_edge(uses[i].edge), from_one(uses[i].triangle), from_one(uses[i + 1].triangle))};
    }
  }
  return {};
}

MeshCheck check_connected(const TriangleMesh& mesh, std::span<const EdgeUse> uses) {
  DisjointSets vertices(mesh.vertices.size());
  for (const EdgeUse& use : uses) {
    vertices.unite(static_cast<std::size_t>(use.edge[0]), static_cast<std::size_t>(use.edge[1]));
  }
  int surfaces = 0;
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) surfaces += vertices.is_root(v);
  if (surfaces == 1) return {};
  return {MeshStatus::kNotConnected, fmt::format("{} separate surfaces; expected 1", surfaces)};
}

MeshCheck check_values(const TriangleMesh& mesh) {
  for (const auto check : {check_not_empty, check_finite, check_bounds, check_degenerate, check_unused}) {
    if (MeshCheck result = check(mesh); !result.ok()) return result;
  }
  return {};
}

MeshCheck check_surface(const TriangleMesh& mesh, bool with_winding) {
  if (MeshCheck result = check_values(mesh); !result.ok()) return result;
  const auto uses = sorted_edge_uses(mesh.triangles);
  if (MeshCheck result = check_edges(uses); !result.ok()) return result;
  if (MeshCheck result = check_fans(mesh, uses); !result.ok()) return result;
  if (with_winding) {
    if (MeshCheck result = check_winding(uses); !result.ok()) return result;
  }
  return check_connected(mesh, uses);
}

}  // namespace

MeshCheck check_mesh(const TriangleMesh& mesh) { return check_surface(mesh, true); }

MeshCheck check_topology(const TriangleMesh& mesh) { return check_surface(mesh, false); }

}  // namespace p2mpp
