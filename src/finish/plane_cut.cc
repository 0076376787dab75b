#include "finish/plane_cut.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <memory>
#include <utility>

#include "base/thread_scopes.h"
#include "finish/solid_parts.h"
#include "geometry/edge_uses.h"
#include "geometry/intersection/triangle_intersection.h"
#include "p2mpp/mesh_texture.h"

namespace p2mpp {
namespace {

using Loop = std::vector<std::int32_t>;

class LoopCutter {
 public:
  explicit LoopCutter(std::span<const Eigen::Vector2f> points) : points_(points) {}

  std::optional<std::vector<Triangle>> cut(std::vector<Loop> loops) {
    std::vector<Loop> outer, holes;
    for (Loop& loop : loops) (doubled_area(loop) > 0 ? outer : holes).push_back(std::move(loop));
    std::vector<std::vector<Loop>> holes_of(outer.size());
    for (Loop& hole : holes) {
      const std::optional<std::size_t> around = loop_around(hole, outer);
      if (!around) return std::nullopt;
      holes_of[*around].push_back(std::move(hole));
    }
    for (std::size_t i = 0; i < outer.size(); ++i) {
      if (!join_holes(outer[i], std::move(holes_of[i])) || !cut_ears(std::move(outer[i]))) return std::nullopt;
    }
    return std::move(triangles_);
  }

 private:
  [[nodiscard]] const Eigen::Vector2f& at(std::int32_t point) const { return points_[static_cast<std::size_t>(point)]; }
  /// 1 if c is left of the line from a to b.
  [[nodiscard]] int side(std::int32_t a, std::int32_t b, std::int32_t c) const {
    return orientation(at(a), at(b), at(c));
  }

  [[nodiscard]] double doubled_area(const Loop& loop) const {
    double sum = 0;
    const Eigen::Vector2d apex = at(loop[0]).cast<double>();
    for (std::size_t i = 0; i + 1 < loop.size(); ++i) {
      const Eigen::Vector2d a = at(loop[i]).cast<double>() - apex, b = at(loop[i + 1]).cast<double>() - apex;
      sum += a.x() * b.y() - a.y() * b.x();
    }
    return sum;
  }

  /// Whether a point is inside a loop: a ray along x crosses it an odd number of times.
  [[nodiscard]] bool is_inside(std::int32_t point, const Loop& loop) const {
    bool inside = false;
    for (std::size_t i = 0; i < loop.size(); ++i) {
      std::int32_t low = loop[i], high = loop[(i + 1) % loop.size()];
      if (at(low).y() > at(high).y()) std::swap(low, high);
      if (at(low).y() > at(point).y() || at(high).y() <= at(point).y()) continue;
      if (side(low, high, point) > 0) inside = !inside;
    }
    return inside;
  }

  /// The smallest loop around a hole.
  [[nodiscard]] std::optional<std::size_t> loop_around(const Loop& hole, const std::vector<Loop>& outer) const {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < outer.size(); ++i) {
      if (!is_inside(hole[0], outer[i])) continue;
      if (!found || doubled_area(outer[i]) < doubled_area(outer[*found])) found = i;
    }
    return found;
  }

  /// Makes one loop of a loop and its holes: by two-way bridges, from the holes' leftmost points on.
  bool join_holes(Loop& loop, std::vector<Loop> holes) const {
    const auto is_left = [this](std::int32_t a, std::int32_t b) { return at(a).x() < at(b).x(); };
    // Not std::ranges::rotate: see camera_hypotheses.cc.
    for (Loop& hole : holes) std::rotate(hole.begin(), std::ranges::min_element(hole, is_left), hole.end());
    std::ranges::sort(holes, [&](const Loop& a, const Loop& b) { return is_left(a[0], b[0]); });
    for (std::size_t i = 0; i < holes.size(); ++i) {
      const std::optional<std::size_t> place = place_of_bridge(loop, std::span(holes).subspan(i));
      if (!place) return false;
      Loop way(holes[i]);
      way.push_back(holes[i][0]);
      way.push_back(loop[*place]);
      loop.insert(loop.begin() + static_cast<std::ptrdiff_t>(*place) + 1, way.begin(), way.end());
    }
    return true;
  }

  /// The place in a loop that is nearest to the first hole's first point and that it sees.
  [[nodiscard]] std::optional<std::size_t> place_of_bridge(const Loop& loop, std::span<const Loop> holes) const {
    const std::int32_t from = holes[0][0];
    std::vector<std::pair<float, std::size_t>> places;
    for (std::size_t i = 0; i < loop.size(); ++i) places.emplace_back((at(loop[i]) - at(from)).squaredNorm(), i);
    std::ranges::sort(places);
    for (const auto& [distance, place] : places) {
      if (!is_in_corner(loop, place, from)) continue;
      bool is_free = !crosses(loop, from, loop[place]);
      for (const Loop& hole : holes) is_free = is_free && !crosses(hole, from, loop[place]);
      if (is_free) return place;
    }
    return std::nullopt;
  }

  /// Whether the way from a loop's place to a point begins inside the loop. Source: O'Rourke, "Computational Geometry
  /// in C" (1998), 1.6.
  [[nodiscard]] bool is_in_corner(const Loop& loop, std::size_t place, std::int32_t to) const {
    const std::int32_t corner = loop[place], before = loop[(place + loop.size() - 1) % loop.size()],
                       after = loop[(place + 1) % loop.size()];
    if (side(corner, after, before) >= 0) return side(corner, to, before) > 0 && side(to, corner, after) > 0;
    return !(side(corner, to, after) >= 0 && side(to, corner, before) >= 0);
  }

  /// Whether the segment from a to b touches a side of a loop elsewhere than in its own ends.
  [[nodiscard]] bool crosses(const Loop& loop, std::int32_t a, std::int32_t b) const {
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const std::int32_t c = loop[i], d = loop[(i + 1) % loop.size()];
      if (c != a && c != b && is_on(a, b, c)) return true;
      if (c == a || c == b || d == a || d == b) continue;
      if (side(a, b, c) * side(a, b, d) <= 0 && side(c, d, a) * side(c, d, b) <= 0) return true;
    }
    return false;
  }

  [[nodiscard]] bool is_on(std::int32_t a, std::int32_t b, std::int32_t point) const {
    return side(a, b, point) == 0 && (at(point) - at(a)).dot(at(b) - at(a)) > 0 &&
           (at(point) - at(b)).dot(at(a) - at(b)) > 0;
  }

  bool cut_ears(Loop loop) {
    std::size_t place = 0, without_ear = 0;
    while (loop.size() > 3) {
      if (without_ear > loop.size()) return false;
      place %= loop.size();
      const Triangle ear = {loop[(place + loop.size() - 1) % loop.size()], loop[place],
                            loop[(place + 1) % loop.size()]};
      if (is_ear(loop, ear)) {
        triangles_.push_back(ear);
        loop.erase(loop.begin() + static_cast<std::ptrdiff_t>(place));
        without_ear = 0;
        end_if_stopped();
      } else {
        ++without_ear;
      }
      ++place;
    }
    triangles_.push_back({loop[0], loop[1], loop[2]});
    return side(loop[0], loop[1], loop[2]) > 0;
  }

  /// Whether a corner may be cut off: it turns left, and no other point is in its triangle or on it.
  [[nodiscard]] bool is_ear(const Loop& loop, const Triangle& ear) const {
    const std::int32_t a = ear[0], b = ear[1], c = ear[2];
    if (side(a, b, c) <= 0) return false;
    return std::ranges::none_of(loop, [&](std::int32_t point) {
      return point != a && point != b && point != c && side(a, b, point) >= 0 && side(b, c, point) >= 0 &&
             side(c, a, point) >= 0;
    });
  }

  std::span<const Eigen::Vector2f> points_;
  std::vector<Triangle> triangles_;
};

}  // namespace

std::optional<std::vector<Triangle>> triangles_of_loops(std::span<const Eigen::Vector2f> points,
                                                        std::vector<std::vector<std::int32_t>> loops) {
  if (std::ranges::any_of(loops, [](const Loop& loop) { return loop.size() < 3; })) return std::nullopt;
  return LoopCutter(points).cut(std::move(loops));
}

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
      const Eigen::Vector2f uv = vertex_uv(triangle[0]);
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

  [[nodiscard]] Eigen::Vector2f vertex_uv(std::int32_t vertex) const {
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
