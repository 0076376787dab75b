#include "p2mpp/triangle_mesh.h"

#include <Eigen/Geometry>
#include <array>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "geometry/edge_uses.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

/// A triangle across an edge and whether the two agree in their winding.
struct Neighbour {
  std::size_t triangle = 0;
  bool agrees = false;
};

using Neighbours = std::vector<std::array<Neighbour, 3>>;

/// The three neighbours of each triangle of a closed manifold [F,3].
Neighbours find_neighbours(const std::vector<Triangle>& triangles) {
  Neighbours neighbours(triangles.size());
  std::vector<std::uint8_t> found(triangles.size());
  const auto add = [&](const EdgeUse& from, const EdgeUse& to) {
    neighbours[from.triangle][found[from.triangle]++] = {to.triangle, from.forward != to.forward};
  };
  const auto uses = sorted_edge_uses(triangles);
  for (std::size_t i = 0; i + 1 < uses.size(); i += 2) {
    add(uses[i], uses[i + 1]);
    add(uses[i + 1], uses[i]);
  }
  return neighbours;
}

/// Which triangles to flip so that all agree with the first, which is left as it is [F]; nothing if
/// none do.
std::optional<std::vector<bool>> find_flips(const std::vector<Triangle>& triangles) {
  const Neighbours neighbours = find_neighbours(triangles);
  std::vector<bool> flips(triangles.size());
  std::vector<bool> seen(triangles.size());
  std::vector<std::size_t> pending{0};
  seen[0] = true;
  while (!pending.empty()) {
    const std::size_t current = pending.back();
    pending.pop_back();
    for (const auto& [next, agrees] : neighbours[current]) {
      const bool flip = flips[current] == agrees;
      if (!seen[next]) {
        flips[next] = flip;
        seen[next] = true;
        pending.push_back(next);
      } else if (flips[next] != flip) {
        return std::nullopt;
      }
    }
  }
  return flips;
}

void flip_winding(Triangle& triangle) { std::swap(triangle[1], triangle[2]); }

}  // namespace

std::string_view to_string(MeshStatus status) {
  switch (status) {
    case MeshStatus::kNoError:
      return "NoError";
    case MeshStatus::kEmpty:
      return "Empty";
    case MeshStatus::kNonFiniteVertex:
      return "NonFiniteVertex";
    case MeshStatus::kVertexOutOfBounds:
      return "VertexOutOfBounds";
    case MeshStatus::kDegenerateTriangle:
      return "DegenerateTriangle";
    case MeshStatus::kUnusedVertex:
      return "UnusedVertex";
    case MeshStatus::kHole:
      return "Hole";
    case MeshStatus::kNotManifold:
      return "NotManifold";
    case MeshStatus::kInconsistentWinding:
      return "InconsistentWinding";
    case MeshStatus::kNotConnected:
      return "NotConnected";
  }
  return "Unknown";
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
  // Measured from a point of the surface: an object far from the origin loses no digits.
  const Eigen::Vector3d apex = position(mesh.triangles.front()[0]);
  double volume = 0;
  for (const auto& [a, b, c] : mesh.triangles) {
    volume += (position(a) - apex).dot((position(b) - apex).cross(position(c) - apex)) / 6;
  }
  return volume;
}

std::vector<Triangle> oriented_outward(const TriangleMesh& mesh) {
  if (const MeshCheck check = check_topology(mesh); !check.ok()) throw InputError(check.detail);
  const auto flips = find_flips(mesh.triangles);
  if (!flips) {
    throw InputError("the surface is not orientable; expected an inside and an outside");
  }
  TriangleMesh oriented = mesh;
  for (std::size_t t = 0; t < flips->size(); ++t) {
    if ((*flips)[t]) flip_winding(oriented.triangles[t]);
  }
  if (signed_volume(oriented) < 0) {
    for (Triangle& triangle : oriented.triangles) flip_winding(triangle);
  }
  return std::move(oriented.triangles);
}

}  // namespace p2mpp
