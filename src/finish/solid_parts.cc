#include "finish/solid_parts.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "geometry/distances/winding_number.h"
#include "geometry/edge_uses.h"
#include "geometry/foreign/welding.h"
#include "p2mpp/mesh_texture.h"

namespace p2mpp {
namespace {

struct PartMeasure {
  double volume = 0;         ///< relative to the mesh's first vertex; six times
  std::size_t largest = 0;   ///< triangle
  double largest_area = -1;  ///< twice
};

std::array<Eigen::Vector3d, 3> triangle_corners(const TriangleMesh& mesh, std::size_t triangle) {
  std::array<Eigen::Vector3d, 3> corners;
  for (std::size_t i = 0; i < 3; ++i) {
    corners[i] = mesh.vertices[static_cast<std::size_t>(mesh.triangles[triangle][i])].cast<double>();
  }
  return corners;
}

std::vector<PartMeasure> measure_parts(const TriangleMesh& mesh, const Winding& winding) {
  std::vector<PartMeasure> measures(winding.component_count);
  const Eigen::Vector3d apex = mesh.vertices[static_cast<std::size_t>(mesh.triangles[0][0])].cast<double>();
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto [a, b, c] = triangle_corners(mesh, t);
    PartMeasure& measure = measures[winding.component[t]];
    measure.volume += (a - apex).dot((b - apex).cross(c - apex));
    const double area = (b - a).cross(c - a).norm();
    if (area > measure.largest_area) {
      measure.largest_area = area;
      measure.largest = t;
    }
  }
  return measures;
}

/// How often the surface winds around a point just off a triangle, on the side that it faces.
long winding_before(const WindingNumber& number, const TriangleMesh& mesh, std::size_t triangle) {
  constexpr double kStep = 1e-3;  // of the triangle's size
  const auto [a, b, c] = triangle_corners(mesh, triangle);
  const Eigen::Vector3d across = (b - a).cross(c - a);
  const Eigen::Vector3d point = (a + b + c) / 3 + kStep * std::sqrt(across.norm()) * across.stableNormalized();
  return std::lround(number.at(point.cast<float>()));
}

}  // namespace

std::size_t SolidParts::count(SolidPart kind) const {
  return static_cast<std::size_t>(std::ranges::count(kinds, kind));
}

SolidParts solid_parts(const TriangleMesh& mesh) {
  Winding winding = find_winding(mesh.triangles);
  const WindingNumber number(mesh);
  SolidParts parts;
  for (const PartMeasure& measure : measure_parts(mesh, winding)) {
    const long before = winding_before(number, mesh, measure.largest);
    parts.kinds.push_back(before < 0           ? SolidPart::kInverted
                          : before > 0         ? SolidPart::kBuried
                          : measure.volume < 0 ? SolidPart::kVoid
                                               : SolidPart::kBody);
  }
  parts.of_triangles = std::move(winding.component);
  return parts;
}

TriangleMesh with_triangles(const TriangleMesh& mesh, std::span<const Triangle> triangles,
                            std::span<const std::size_t> sources) {
  constexpr std::int32_t kUnused = -1;
  std::vector<std::int32_t> names(mesh.vertices.size(), kUnused);
  for (const Triangle& triangle : triangles) {
    for (const std::int32_t vertex : triangle) names[static_cast<std::size_t>(vertex)] = 0;
  }
  TriangleMesh result{.vertices = {}, .triangles = {}, .origin = mesh.origin};
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == kUnused) continue;
    names[i] = static_cast<std::int32_t>(result.vertices.size());
    result.vertices.push_back(mesh.vertices[i]);
    if (!mesh.colours.empty()) result.colours.push_back(mesh.colours[i]);
  }
  result.triangles.reserve(triangles.size());
  for (const auto& [a, b, c] : triangles) {
    result.triangles.push_back(
        {names[static_cast<std::size_t>(a)], names[static_cast<std::size_t>(b)], names[static_cast<std::size_t>(c)]});
  }
  if (mesh.texture) {
    auto texture = std::make_shared<MeshTexture>();
    texture->image = mesh.texture->image;
    for (const std::size_t source : sources) texture->corners.push_back(mesh.texture->corners[source]);
    result.texture = std::move(texture);
  }
  return result;
}

TriangleMesh joined_at_places(const TriangleMesh& mesh) {
  const std::vector<std::int32_t> first = first_at_place(mesh.vertices);
  std::vector<Triangle> triangles;
  std::vector<std::size_t> sources;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto& [a, b, c] = mesh.triangles[t];
    const Triangle places = {first[static_cast<std::size_t>(a)], first[static_cast<std::size_t>(b)],
                             first[static_cast<std::size_t>(c)]};
    if (places[0] == places[1] || places[1] == places[2] || places[2] == places[0]) continue;
    triangles.push_back(places);
    sources.push_back(t);
  }
  return with_triangles(mesh, triangles, sources);
}

TriangleMesh without_inside(TriangleMesh mesh) {
  // Without a hollow, what was in it is inside of the body.
  for (const SolidPart inside : {SolidPart::kVoid, SolidPart::kBuried}) {
    const SolidParts parts = solid_parts(mesh);
    if (parts.count(inside) == 0) continue;
    std::vector<Triangle> triangles;
    std::vector<std::size_t> sources;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
      if (parts.kinds[parts.of_triangles[t]] == inside) continue;
      triangles.push_back(mesh.triangles[t]);
      sources.push_back(t);
    }
    mesh = with_triangles(mesh, triangles, sources);
  }
  return mesh;
}

}  // namespace p2mpp
