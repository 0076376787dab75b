#include "geometry/mesh_template.h"

#include <fmt/format.h>

#include <iterator>
#include <limits>
#include <map>
#include <utility>

#include "geometry/edge_uses.h"
#include "geometry/graph_laplacian.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

struct Subdivision {
  std::vector<Edge> edges;          ///< as they are first met, in that triangle's direction [E,2]
  std::vector<Triangle> triangles;  ///< four children a triangle [4F,3]
};

Subdivision subdivide(std::int64_t vertex_count, const std::vector<Triangle>& triangles) {
  Subdivision result;
  std::map<Edge, std::int32_t> midpoints;
  const auto midpoint = [&](std::int32_t a, std::int32_t b) {
    const auto next = static_cast<std::int32_t>(vertex_count + std::ssize(result.edges));
    const auto [found, is_new] = midpoints.try_emplace(undirected(a, b), next);
    if (is_new) result.edges.push_back({a, b});
    return found->second;
  };
  for (const auto& [a, b, c] : triangles) {
    const std::int32_t ab = midpoint(a, b);
    const std::int32_t ca = midpoint(c, a);
    const std::int32_t bc = midpoint(b, c);
    for (const Triangle& child :
         {Triangle{a, ab, ca}, Triangle{b, ab, bc}, Triangle{c, ca, bc}, Triangle{ab, ca, bc}}) {
      result.triangles.push_back(child);
    }
  }
  return result;
}

/// The second and the fourth child of a triangle have the opposite winding [F] -> [4F].
std::vector<bool> flips_of_children(const std::vector<bool>& flips) {
  std::vector<bool> result;
  result.reserve(4 * flips.size());
  for (const bool flip : flips) result.insert(result.end(), {flip, !flip, flip, !flip});
  return result;
}

std::vector<Triangle> apply_flips(std::vector<Triangle> triangles, const std::vector<bool>& flips) {
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    if (flips[t]) std::swap(triangles[t][1], triangles[t][2]);
  }
  return triangles;
}

/// Every subdivision multiplies V - 2 by four. Precondition: a closed surface of genus 0.
void check_level_count(const TriangleMesh& coarsest, int level_count) {
  if (level_count < 1) {
    throw InputError(fmt::format("{} levels; expected at least 1", level_count));
  }
  constexpr std::int64_t kLimit = std::numeric_limits<std::int32_t>::max();
  auto vertex_count = std::ssize(coarsest.vertices);
  for (int level = 1; level < level_count; ++level) {
    vertex_count = 4 * (vertex_count - 2) + 2;
    if (vertex_count > kLimit) {
      throw InputError(fmt::format("{} levels have more than {} vertices; expected fewer levels", level_count, kLimit));
    }
  }
}

void check_coarsest(const TriangleMesh& coarsest) {
  if (const MeshCheck check = check_mesh(coarsest); !check.ok()) throw InputError(check.detail);
  const std::int64_t genus = (2 - euler_characteristic(coarsest)) / 2;
  if (genus != 0) {
    throw InputError(fmt::format("the surface has genus {}; expected 0, as a sphere", genus));
  }
}

/// A level without its unpool_edges.
TemplateLevel make_level(std::int64_t vertex_count, const std::vector<Triangle>& triangles,
                         const std::vector<bool>& flips) {
  const std::vector<Edge> edges = unique_edges(triangles);
  TemplateLevel level;
  level.vertex_count = vertex_count;
  level.triangles = triangles;
  level.oriented_triangles = apply_flips(triangles, flips);
  level.lambda_max = largest_laplacian_eigenvalue(vertex_count, edges);
  level.support = chebyshev_support(vertex_count, edges, level.lambda_max);
  return level;
}

}  // namespace

MeshTemplate build_template(const TriangleMesh& coarsest, int level_count) {
  check_coarsest(coarsest);
  check_level_count(coarsest, level_count);

  std::vector<bool> flips(coarsest.triangles.size(), signed_volume(coarsest) < 0);
  MeshTemplate result{.vertices = coarsest.vertices, .levels = {}};
  result.levels.push_back(make_level(std::ssize(coarsest.vertices), coarsest.triangles, flips));
  for (int i = 1; i < level_count; ++i) {
    TemplateLevel& coarse = result.levels.back();
    Subdivision finer = subdivide(coarse.vertex_count, coarse.triangles);
    coarse.unpool_edges = std::move(finer.edges);
    flips = flips_of_children(flips);
    result.levels.push_back(make_level(coarse.vertex_count + std::ssize(coarse.unpool_edges), finer.triangles, flips));
  }
  return result;
}

TriangleMesh undeformed_mesh(const MeshTemplate& mesh_template) {
  TriangleMesh mesh{mesh_template.vertices, mesh_template.levels.back().oriented_triangles};
  for (const TemplateLevel& level : mesh_template.levels) {
    for (const Edge& edge : level.unpool_edges) {
      const Eigen::Vector3f middle =
          (mesh.vertices[static_cast<std::size_t>(edge[0])] + mesh.vertices[static_cast<std::size_t>(edge[1])]) / 2;
      mesh.vertices.push_back(middle);
    }
  }
  return mesh;
}

}  // namespace p2mpp
