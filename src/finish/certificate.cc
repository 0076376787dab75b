#include "finish/certificate.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <span>
#include <vector>

#include "finish/solid_parts.h"
#include "fit/self_intersections.h"
#include "geometry/edge_uses.h"
#include "geometry/foreign/welding.h"
#include "geometry/intersection/triangle_intersection.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

void check_values(const TriangleMesh& mesh) {
  if (mesh.triangles.empty()) throw InputError("0 triangles; expected a mesh with triangles");
  for (const Eigen::Vector3f& vertex : mesh.vertices) {
    if (!vertex.allFinite()) throw InputError("a vertex that is not finite; expected finite coordinates");
  }
  const auto count = static_cast<std::int64_t>(mesh.vertices.size());
  for (const Triangle& triangle : mesh.triangles) {
    if (std::ranges::all_of(triangle, [&](std::int32_t vertex) { return vertex >= 0 && vertex < count; })) continue;
    throw InputError("a triangle names a vertex that does not exist");
  }
}

/// Whether three points are in a line, exactly: their shadows along all axes are.
bool are_in_line(const Eigen::Vector3f& a, const Eigen::Vector3f& b, const Eigen::Vector3f& c) {
  for (int axis = 0; axis < 3; ++axis) {
    const auto shadow = [axis](const Eigen::Vector3f& point) {
      return Eigen::Vector2f(point[(axis + 1) % 3], point[(axis + 2) % 3]);
    };
    if (orientation(shadow(a), shadow(b), shadow(c)) != 0) return false;
  }
  return true;
}

void measure_faces(const TriangleMesh& mesh, MeshCertificate& certificate) {
  Eigen::AlignedBox3d box;
  for (const Triangle& triangle : mesh.triangles) {
    const auto corner = [&](std::size_t i) -> const Eigen::Vector3f& {
      return mesh.vertices[static_cast<std::size_t>(triangle[i])];
    };
    const Eigen::Vector3d a = corner(0).cast<double>(), b = corner(1).cast<double>(), c = corner(2).cast<double>();
    certificate.area += (b - a).cross(c - a).norm() / 2;
    box.extend(a).extend(b).extend(c);
    certificate.degenerate_faces += are_in_line(corner(0), corner(1), corner(2)) ? 1 : 0;
  }
  if (!box.isEmpty()) certificate.size = box.sizes();
}

void count_edges(std::span<const EdgeUse> uses, MeshCertificate& certificate) {
  while (!uses.empty()) {
    const auto edge = first_edge(uses);
    uses = uses.subspan(edge.size());
    certificate.open_edges += edge.size() == 1 ? 1 : 0;
    certificate.crowded_edges += edge.size() > 2 ? 1 : 0;
    certificate.turned_edges += edge.size() == 2 && edge[0].forward == edge[1].forward ? 1 : 0;
  }
}

std::string counted(std::size_t count, const char* what, const char* expected) {
  return fmt::format("{} {}; expected {}", count, what, expected);
}

}  // namespace

std::string MeshCertificate::problem() const {
  if (!closed()) return counted(open_edges, "edges with one face", "a closed surface");
  if (crowded_edges > 0) return counted(crowded_edges, "edges with more than two faces", "a manifold surface");
  if (crowded_vertices > 0) return counted(crowded_vertices, "vertices where surfaces touch", "a manifold surface");
  if (turned_edges > 0) return counted(turned_edges, "edges whose faces are wound against each other", "one winding");
  if (inverted > 0) return counted(inverted, "bodies that are inside out", "faces wound outward");
  if (degenerate_faces > 0) return counted(degenerate_faces, "faces without an area", "none");
  if (intersecting_faces > 0) return counted(intersecting_faces, "faces that intersect others", "none");
  if (!all_pairs_tested)
    return "too many faces are close together to test them; expected a surface that does not crumple";
  return {};
}

MeshCertificate certify(const TriangleMesh& mesh, int threads) {
  check_values(mesh);
  const TriangleMesh joined = weld(mesh).mesh;
  MeshCertificate certificate;
  certificate.vertices = joined.vertices.size();
  certificate.faces = mesh.triangles.size();
  certificate.degenerate_faces = mesh.triangles.size() - joined.triangles.size();
  if (joined.triangles.empty()) return certificate;
  measure_faces(joined, certificate);
  const std::vector<EdgeUse> uses = sorted_edge_uses(joined.triangles);
  count_edges(uses, certificate);
  const std::vector<int> fans = fans_at_vertices(joined, uses);
  certificate.crowded_vertices = static_cast<std::size_t>(std::ranges::count_if(fans, [](int n) { return n > 1; }));
  const SelfIntersections found = find_self_intersections(joined.vertices, joined.triangles, threads);
  certificate.intersecting_faces = found.triangles.size();
  certificate.all_pairs_tested = found.is_complete;
  if (!certificate.closed() || certificate.turned_edges > 0) return certificate;
  const SolidParts parts = solid_parts(joined);
  certificate.bodies = parts.count(SolidPart::kBody);
  certificate.voids = parts.count(SolidPart::kVoid);
  certificate.buried = parts.count(SolidPart::kBuried);
  certificate.inverted = parts.count(SolidPart::kInverted);
  certificate.volume = signed_volume(joined);
  if (!RayScene::tracer().empty()) certificate.wall = thinnest_wall(joined, threads);
  return certificate;
}

}  // namespace p2mpp
