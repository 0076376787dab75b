#include "p2mpp/triangle_mesh.h"

#include <Eigen/Geometry>
#include <array>
#include <iterator>
#include <span>
#include <utility>

#include "geometry/edge_uses.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

void flip_winding(Triangle& triangle) { std::swap(triangle[1], triangle[2]); }

}  // namespace

std::string_view to_string(MeshStatus status) {
  constexpr std::array<std::string_view, 10> kNames = {
      "NoError",      "Empty", "NonFiniteVertex", "VertexOutOfBounds",   "DegenerateTriangle",
      "UnusedVertex", "Hole",  "NotManifold",     "InconsistentWinding", "NotConnected"};
  return kNames[static_cast<std::size_t>(status)];
}

std::vector<Edge> unique_edges(const std::vector<Triangle>& triangles) {
  const std::vector<EdgeUse> uses = sorted_edge_uses(triangles);
  std::vector<Edge> edges;
  for (std::span<const EdgeUse> rest = uses; !rest.empty();) {
    const auto edge = first_edge(rest);
    edges.push_back(edge.front().edge);
    rest = rest.subspan(edge.size());
  }
  return edges;
}

std::int64_t euler_characteristic(const TriangleMesh& mesh) {
  return std::ssize(mesh.vertices) - std::ssize(unique_edges(mesh.triangles)) + std::ssize(mesh.triangles);
}

double signed_volume(const TriangleMesh& mesh) {
  if (mesh.triangles.empty()) return 0;
  const auto position = [&](std::int32_t vertex) -> Eigen::Vector3d {
    return mesh.vertices[static_cast<std::size_t>(vertex)].cast<double>();
  };
  // Relative to a point of the surface, so that an object far from the origin loses no digits.
  const Eigen::Vector3d apex = position(mesh.triangles.front()[0]);
  double volume = 0;
  for (const auto& [a, b, c] : mesh.triangles) {
    volume += (position(a) - apex).dot((position(b) - apex).cross(position(c) - apex)) / 6;
  }
  return volume;
}

std::vector<Triangle> oriented_outward(const TriangleMesh& mesh) {
  if (const MeshCheck check = check_topology(mesh); !check.ok()) throw InputError(check.detail);
  const Winding winding = find_winding(mesh.triangles);
  if (!winding.orientable) {
    throw InputError("the surface is not orientable; expected an inside and an outside");
  }
  TriangleMesh oriented = mesh;
  for (std::size_t t = 0; t < winding.flips.size(); ++t) {
    if (winding.flips[t]) flip_winding(oriented.triangles[t]);
  }
  if (signed_volume(oriented) < 0) {
    for (Triangle& triangle : oriented.triangles) flip_winding(triangle);
  }
  return std::move(oriented.triangles);
}

}  // namespace p2mpp
