#include "refinement/even_normals.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace p2mpp {
namespace {

const Eigen::Vector3f& corner(const FitSurface& surface, const Points& vertices, std::size_t triangle, std::size_t i) {
  return vertices[static_cast<std::size_t>(surface.triangles()[triangle][i])];
}

/// Twice its area long.
Eigen::Vector3f area_normal(const FitSurface& surface, const Points& vertices, std::size_t triangle) {
  const Eigen::Vector3f& first = corner(surface, vertices, triangle, 0);
  return (corner(surface, vertices, triangle, 1) - first).cross(corner(surface, vertices, triangle, 2) - first);
}

}  // namespace

std::vector<Eigen::Vector3f> even_normals(const FitSurface& surface, const Points& vertices, int rounds) {
  constexpr float kAlike = 0.15F;  // standard deviation between the unit normals that are averaged
  std::vector<Eigen::Vector3f> normals(surface.triangles().size());
  std::vector<float> areas(normals.size());
  for (std::size_t t = 0; t < normals.size(); ++t) {
    const Eigen::Vector3f normal = area_normal(surface, vertices, t);
    areas[t] = normal.norm();
    normals[t] = normal.stableNormalized();
  }
  for (int round = 0; round < rounds; ++round) {
    std::vector<Eigen::Vector3f> sums(normals.size());
    for (std::size_t t = 0; t < sums.size(); ++t) sums[t] = areas[t] * normals[t];
    for (const SurfaceEdge& edge : surface.edges()) {
      if (edge.left == edge.right) continue;
      const float off = (normals[edge.left] - normals[edge.right]).squaredNorm();
      const float weight = std::exp(-off / (2 * kAlike * kAlike));
      sums[edge.left] += weight * areas[edge.right] * normals[edge.right];
      sums[edge.right] += weight * areas[edge.left] * normals[edge.left];
    }
    for (std::size_t t = 0; t < sums.size(); ++t) normals[t] = sums[t].stableNormalized();
  }
  return normals;
}

Points moved_to_normals(const FitSurface& surface, const Points& vertices,
                        const std::vector<Eigen::Vector3f>& normals) {
  Points ways(vertices.size(), Eigen::Vector3f::Zero());
  std::vector<float> counts(vertices.size());
  for (std::size_t t = 0; t < normals.size(); ++t) {
    const Eigen::Vector3f middle =
        (corner(surface, vertices, t, 0) + corner(surface, vertices, t, 1) + corner(surface, vertices, t, 2)) / 3;
    for (const std::int32_t each : surface.triangles()[t]) {
      const auto vertex = static_cast<std::size_t>(each);
      ways[vertex] += normals[t].dot(middle - vertices[vertex]) * normals[t];
      counts[vertex] += 1;
    }
  }
  for (std::size_t i = 0; i < ways.size(); ++i) ways[i] = vertices[i] + ways[i] / std::max(counts[i], 1.0F);
  return ways;
}

}  // namespace p2mpp
