#include "finish/plane_cut.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "finish/plane_cap.h"
#include "finish/solid_parts.h"
#include "geometry/edge_uses.h"
#include "p2mpp/mesh_texture.h"

namespace p2mpp {
namespace {

/// A corner of the part above the plane: a vertex, and its place in the texture.
struct CutCorner {
  std::int32_t vertex = 0;
  Eigen::Vector2f uv = Eigen::Vector2f::Zero();
};

Colour mixed(const Colour& a, const Colour& b, double share) {
  Colour colour;
  for (std::size_t i = 0; i < 3; ++i) {
    colour[i] = static_cast<std::uint8_t>(std::lround(a[i] + share * (b[i] - a[i])));
  }
  return colour;
}

class GroundCut {
 public:
  GroundCut(const TriangleMesh& mesh, float snap)
      : mesh_(mesh),
        result_{.vertices = mesh.vertices, .triangles = {}, .colours = mesh.colours, .origin = mesh.origin} {
    for (Eigen::Vector3f& vertex : result_.vertices) {
      if (std::fabs(vertex.z()) < snap) vertex.z() = 0;
    }
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) cut_triangle(t);
  }

  std::optional<TriangleMesh> finish() {
    const std::optional<std::vector<std::vector<std::int32_t>>> loops = outlines();
    if (!loops) return std::nullopt;
    // Seen from below, y comes first: loops around areas are then counter-clockwise.
    std::vector<Eigen::Vector2f> flat;
    flat.reserve(result_.vertices.size());
    for (const Eigen::Vector3f& vertex : result_.vertices) flat.emplace_back(vertex.y(), vertex.x());
    const std::optional<std::vector<Triangle>> cap = triangles_of_loops(flat, *loops);
    if (!cap) return std::nullopt;
    for (const Triangle& triangle : *cap) {
      const Eigen::Vector2f uv = uv_of(triangle[0]);
      append({CutCorner{triangle[0], uv}, {triangle[1], uv}, {triangle[2], uv}});
    }
    return with_own_texture();
  }

 private:
  [[nodiscard]] float height(std::int32_t vertex) const {
    return result_.vertices[static_cast<std::size_t>(vertex)].z();
  }

  void append(const std::array<CutCorner, 3>& corners) {
    result_.triangles.push_back({corners[0].vertex, corners[1].vertex, corners[2].vertex});
    if (mesh_.texture) uvs_.push_back({corners[0].uv, corners[1].uv, corners[2].uv});
  }

  void cut_triangle(std::size_t t) {
    const Triangle& triangle = mesh_.triangles[t];
    if (std::ranges::none_of(triangle, [&](std::int32_t vertex) { return height(vertex) > 0; })) return;
    std::vector<CutCorner> above;
    for (std::size_t i = 0; i < 3; ++i) {
      const CutCorner here = corner(t, i), next = corner(t, (i + 1) % 3);
      if (height(here.vertex) >= 0) above.push_back(here);
      if ((height(here.vertex) > 0 && height(next.vertex) < 0) ||
          (height(here.vertex) < 0 && height(next.vertex) > 0)) {
        above.push_back(crossing(here, next));
      }
    }
    if (above.size() == 3) return append({above[0], above[1], above[2]});
    // By the shorter diagonal, the parts are less thin.
    const std::size_t first = length(above[0], above[2]) <= length(above[1], above[3]) ? 0 : 1;
    append({above[first], above[first + 1], above[first + 2]});
    append({above[first + 2], above[(first + 3) % 4], above[first]});
  }

  [[nodiscard]] CutCorner corner(std::size_t t, std::size_t i) const {
    return {mesh_.triangles[t][i], mesh_.texture ? mesh_.texture->corners[t][i] : Eigen::Vector2f(0, 0)};
  }

  [[nodiscard]] float length(const CutCorner& a, const CutCorner& b) const {
    return (result_.vertices[static_cast<std::size_t>(a.vertex)] - result_.vertices[static_cast<std::size_t>(b.vertex)])
        .squaredNorm();
  }

  /// Where an edge crosses the plane. The triangles on both sides of the edge get the same vertex.
  CutCorner crossing(const CutCorner& a, const CutCorner& b) {
    const bool is_forward = a.vertex < b.vertex;
    const auto low = static_cast<std::size_t>(std::min(a.vertex, b.vertex)),
               high = static_cast<std::size_t>(std::max(a.vertex, b.vertex));
    const Eigen::Vector3d from = result_.vertices[low].cast<double>(), to = result_.vertices[high].cast<double>();
    const double share = from.z() / (from.z() - to.z());
    const auto [known, is_new] =
        crossings_.try_emplace(undirected(a.vertex, b.vertex), static_cast<std::int32_t>(result_.vertices.size()));
    if (is_new) {
      Eigen::Vector3f place = (from + share * (to - from)).cast<float>();
      place.z() = 0;
      result_.vertices.push_back(place);
      if (!mesh_.colours.empty()) result_.colours.push_back(mixed(mesh_.colours[low], mesh_.colours[high], share));
    }
    const auto along = static_cast<float>(is_forward ? share : 1 - share);
    return {known->second, a.uv + along * (b.uv - a.uv)};
  }

  /// The open edges, turned around, one after the other. Empty if several begin at a vertex, or one is not in the
  /// plane.
  [[nodiscard]] std::optional<std::vector<std::vector<std::int32_t>>> outlines() {
    std::map<std::int32_t, std::int32_t> next;
    const std::vector<EdgeUse> uses = sorted_edge_uses(result_.triangles);
    for (std::span<const EdgeUse> rest = uses; !rest.empty();) {
      const auto edge = first_edge(rest);
      rest = rest.subspan(edge.size());
      if (edge.size() == 2) continue;
      const auto [low, high] = edge[0].edge;
      if (edge.size() > 2 || height(low) != 0 || height(high) != 0) return std::nullopt;
      const auto [from, to] = edge[0].forward ? std::pair(high, low) : std::pair(low, high);
      if (!next.emplace(from, to).second) return std::nullopt;
      note_uv(edge[0].triangle, from);
    }
    std::vector<std::vector<std::int32_t>> loops;
    while (!next.empty()) {
      std::vector<std::int32_t>& loop = loops.emplace_back();
      for (auto at = next.begin(); at != next.end(); at = next.find(loop.back())) {
        loop.push_back(at->second);
        next.erase(at);
      }
    }
    return loops;
  }

  void note_uv(std::size_t triangle, std::int32_t vertex) {
    if (!mesh_.texture) return;
    const auto place = std::ranges::find(result_.triangles[triangle], vertex) - result_.triangles[triangle].begin();
    border_uvs_.emplace(vertex, uvs_[triangle][static_cast<std::size_t>(place)]);
  }

  [[nodiscard]] Eigen::Vector2f uv_of(std::int32_t vertex) const {
    const auto known = border_uvs_.find(vertex);
    return known == border_uvs_.end() ? Eigen::Vector2f(0, 0) : known->second;
  }

  TriangleMesh with_own_texture() {
    std::vector<std::size_t> sources(result_.triangles.size());
    for (std::size_t i = 0; i < sources.size(); ++i) sources[i] = i;
    if (mesh_.texture) {
      auto texture = std::make_shared<MeshTexture>();
      texture->image = mesh_.texture->image;
      texture->corners = std::move(uvs_);
      result_.texture = std::move(texture);
    }
    return with_triangles(result_, result_.triangles, sources);
  }

  const TriangleMesh& mesh_;
  TriangleMesh result_;
  std::vector<std::array<Eigen::Vector2f, 3>> uvs_;  // of result_'s triangles
  std::map<Edge, std::int32_t> crossings_;
  std::map<std::int32_t, Eigen::Vector2f> border_uvs_;
};

/// The area of a triangle's shadow on the ground, of the part that is below a height: positive if it faces down.
double shadow_below(const std::array<Eigen::Vector3d, 3>& corners, double height) {
  std::vector<Eigen::Vector2d> below;
  for (std::size_t i = 0; i < 3; ++i) {
    const Eigen::Vector3d &a = corners[i], &b = corners[(i + 1) % 3];
    if (a.z() <= height) below.emplace_back(a.head<2>());
    if ((a.z() <= height) != (b.z() <= height)) {
      below.emplace_back((a + (height - a.z()) / (b.z() - a.z()) * (b - a)).head<2>());
    }
  }
  double sum = 0;
  for (std::size_t i = 1; i + 1 < below.size(); ++i) {
    const Eigen::Vector2d a = below[i] - below[0], b = below[i + 1] - below[0];
    sum -= (a.x() * b.y() - a.y() * b.x()) / 2;
  }
  return sum;
}

}  // namespace

std::optional<TriangleMesh> cut_at_ground(const TriangleMesh& mesh, float snap) {
  GroundCut cut(mesh, snap);
  return cut.finish();
}

double section_area(const TriangleMesh& mesh, float height) {
  double sum = 0;
  for (const Triangle& triangle : mesh.triangles) {
    std::array<Eigen::Vector3d, 3> corners;
    for (std::size_t i = 0; i < 3; ++i) {
      corners[i] = mesh.vertices[static_cast<std::size_t>(triangle[i])].cast<double>();
    }
    if (std::ranges::none_of(corners, [&](const Eigen::Vector3d& at) { return at.z() <= height; })) continue;
    sum += shadow_below(corners, height);
  }
  return sum;
}

}  // namespace p2mpp
