#include "fit/fit_surface.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <utility>

#include "geometry/edge_uses.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

void check_distinct(std::span<const Triangle> triangles) {
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    const auto& [a, b, c] = triangles[i];
    if (a == b || b == c || c == a) throw InputError(fmt::format("triangle {} names a vertex twice", i + 1));
  }
}

/// Calls body(triangle, its normal with twice its area as length).
template <typename Body>
void for_each_area(const FitSurface& surface, std::span<const Eigen::Vector3f> vertices, const Body& body) {
  for (const Triangle& triangle : surface.triangles()) {
    const Eigen::Vector3f& corner = vertices[static_cast<std::size_t>(triangle[0])];
    body(triangle, (vertices[static_cast<std::size_t>(triangle[1])] - corner)
                       .cross(vertices[static_cast<std::size_t>(triangle[2])] - corner));
  }
}

}  // namespace

void check_triangle_indices(std::size_t vertex_count, std::span<const Triangle> triangles) {
  if (triangles.empty()) throw InputError("the mesh has no triangle; expected a surface");
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    for (const std::int32_t vertex : triangles[i]) {
      if (vertex >= 0 && static_cast<std::size_t>(vertex) < vertex_count) continue;
      throw InputError(
          fmt::format("triangle {} names vertex {}; expected 1 to {}", i + 1, vertex + std::int64_t{1}, vertex_count));
    }
  }
}

FitSurface::FitSurface(std::size_t vertex_count, std::vector<Triangle> triangles)
    : triangles_(std::move(triangles)), first_(vertex_count + 1) {
  check_triangle_indices(vertex_count, triangles_);
  check_distinct(triangles_);
  const std::vector<EdgeUse> uses = sorted_edge_uses(triangles_);
  for (std::span<const EdgeUse> left = uses; !left.empty();) {
    const std::span<const EdgeUse> sides = first_edge(left);
    edges_.push_back({sides.front().edge, sides.front().triangle, sides.back().triangle});
    left = left.subspan(sides.size());
  }
  for (const SurfaceEdge& edge : edges_) {
    for (const std::int32_t end : edge.edge) ++first_[static_cast<std::size_t>(end) + 1];
  }
  for (std::size_t i = 0; i < vertex_count; ++i) first_[i + 1] += first_[i];
  neighbours_.resize(2 * edges_.size());
  std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
  // Edges are sorted, so a vertex's smaller neighbours come first, each kind ascending.
  for (const SurfaceEdge& edge : edges_) neighbours_[next[static_cast<std::size_t>(edge.edge[1])]++] = edge.edge[0];
  for (const SurfaceEdge& edge : edges_) neighbours_[next[static_cast<std::size_t>(edge.edge[0])]++] = edge.edge[1];
}

std::vector<Eigen::Vector3f> vertex_normals(const FitSurface& surface, std::span<const Eigen::Vector3f> vertices) {
  std::vector<Eigen::Vector3f> normals(vertices.size(), Eigen::Vector3f::Zero());
  for_each_area(surface, vertices, [&](const Triangle& triangle, const Eigen::Vector3f& area) {
    for (const std::int32_t vertex : triangle) normals[static_cast<std::size_t>(vertex)] += area;
  });
  for (Eigen::Vector3f& normal : normals) {
    const float length = normal.norm();
    if (length > 0) normal /= length;
  }
  return normals;
}

float mean_edge_length(const FitSurface& surface, std::span<const Eigen::Vector3f> vertices) {
  float sum = 0;
  for (const SurfaceEdge& each : surface.edges()) {
    const auto end = [&](std::size_t k) { return vertices[static_cast<std::size_t>(each.edge[k])]; };
    sum += (end(0) - end(1)).norm();
  }
  return sum / static_cast<float>(surface.edges().size());
}

void even_out(const FitSurface& surface, float share, Points& vertices) {
  std::vector<Eigen::Vector3f> normals(vertices.size(), Eigen::Vector3f::Zero());
  std::vector<float> areas(vertices.size());
  float total = 0;
  for_each_area(surface, vertices, [&](const Triangle& triangle, const Eigen::Vector3f& area) {
    const float size = area.norm();
    for (const std::int32_t vertex : triangle) {
      normals[static_cast<std::size_t>(vertex)] += area;
      areas[static_cast<std::size_t>(vertex)] += size;
      total += size;
    }
  });
  if (!(total > 0)) return;
  const float usual = total / static_cast<float>(vertices.size());
  Points moved = vertices;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const float length = normals[i].norm();
    if (surface.neighbours(i).empty() || !(length > 0)) continue;
    Eigen::Vector3f mean = Eigen::Vector3f::Zero();
    float weights = 0;
    for (const std::int32_t other : surface.neighbours(i)) {
      const float relative = areas[static_cast<std::size_t>(other)] / usual;
      const float weight = relative * relative + 1e-6F;
      mean += weight * vertices[static_cast<std::size_t>(other)];
      weights += weight;
    }
    const Eigen::Vector3f way = mean / weights - vertices[i], normal = normals[i] / length;
    moved[i] += share * (way - normal * normal.dot(way));
  }
  vertices = std::move(moved);
}

}  // namespace p2mpp
