#include "finish/wall_thickness.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel.h"
#include "geometry/points.h"

namespace p2mpp {
namespace {

constexpr float kParallel = 0.866F;     ///< cosine of the largest angle between the sides of a wall
constexpr float kLead = 1e-5F;          ///< of the mesh's diagonal
constexpr float kSpacing = 1.0F / 300;  ///< of measured places, of the diagonal
constexpr int kMostDivisions = 256;     ///< of a triangle's side

std::array<Eigen::Vector3f, 3> corners_at(const TriangleMesh& mesh, const Triangle& triangle) {
  return {mesh.vertices[static_cast<std::size_t>(triangle[0])], mesh.vertices[static_cast<std::size_t>(triangle[1])],
          mesh.vertices[static_cast<std::size_t>(triangle[2])]};
}

Eigen::Vector3f normal_of(const std::array<Eigen::Vector3f, 3>& corners) {
  return (corners[1] - corners[0]).cross(corners[2] - corners[0]).stableNormalized();
}

/// The centres of a triangle's parts: at least one, and about `spacing` apart.
void append_places(const std::array<Eigen::Vector3f, 3>& corners, float spacing, Points& places) {
  const Eigen::Vector3f &a = corners[0], &b = corners[1], &c = corners[2];
  const float longest = std::sqrt(std::max({(b - a).squaredNorm(), (c - b).squaredNorm(), (a - c).squaredNorm()}));
  const int parts = std::clamp(static_cast<int>(std::ceil(longest / spacing)), 1, kMostDivisions);
  const auto place = [&](int i, int j, float part) {  // in thirds of a part, from the first corner
    const float u = (static_cast<float>(i) + part) / static_cast<float>(parts),
                v = (static_cast<float>(j) + part) / static_cast<float>(parts);
    places.push_back(a + u * (b - a) + v * (c - a));
  };
  constexpr float kThird = 1.0F / 3;
  for (int i = 0; i < parts; ++i) {
    for (int j = 0; i + j < parts; ++j) {
      place(i, j, kThird);
      if (i + j + 1 < parts) place(i, j, 2 * kThird);
    }
  }
}

}  // namespace

WallGauge::WallGauge(const TriangleMesh& mesh)
    : scene_({mesh.vertices, mesh.triangles}, 0), lead_(kLead * box_of(mesh.vertices).diagonal().norm()) {
  normals_.reserve(mesh.triangles.size());
  for (const Triangle& triangle : mesh.triangles) normals_.push_back(normal_of(corners_at(mesh, triangle)));
}

std::vector<float> WallGauge::thickness(std::span<const Eigen::Vector3f> places,
                                        std::span<const Eigen::Vector3f> inward, int threads) const {
  std::vector<float> found(places.size(), std::numeric_limits<float>::infinity());
  for_each_piece(places.size(), threads, [&](std::size_t begin, std::size_t end) {
    std::vector<Ray> rays;
    for (std::size_t i = begin; i < end; ++i) rays.push_back({places[i] + lead_ * inward[i], inward[i]});
    std::vector<RayHit> hits(rays.size());
    scene_.intersect(rays, hits);
    for (std::size_t i = begin; i < end; ++i) {
      const RayHit& hit = hits[i - begin];
      if (hit.hit() && normals_[hit.primitive].dot(inward[i]) > kParallel) found[i] = lead_ + hit.distance;
    }
  });
  return found;
}

MeasuredWalls measure_walls(const TriangleMesh& mesh, const WallGauge& gauge, int threads) {
  const float spacing = kSpacing * box_of(mesh.vertices).diagonal().norm();
  MeasuredWalls walls;
  Points inward;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    if (gauge.normal(t).isZero(0)) continue;
    append_places(corners_at(mesh, mesh.triangles[t]), spacing, walls.places);
    walls.triangles.resize(walls.places.size(), t);
    inward.resize(walls.places.size(), -gauge.normal(t));
  }
  walls.thickness = gauge.thickness(walls.places, inward, threads);
  return walls;
}

std::optional<ThinnestWall> thinnest_wall(const TriangleMesh& mesh, int threads) {
  const MeasuredWalls walls = measure_walls(mesh, WallGauge(mesh), threads);
  const auto least = std::ranges::min_element(walls.thickness);
  if (least == walls.thickness.end() || !std::isfinite(*least)) return std::nullopt;
  return ThinnestWall{*least, walls.places[static_cast<std::size_t>(least - walls.thickness.begin())].cast<double>()};
}

}  // namespace p2mpp
