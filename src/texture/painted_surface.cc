#include "texture/painted_surface.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>

#include "geometry/edge_uses.h"
#include "geometry/points.h"

namespace p2mpp {
namespace {

struct HalfEdge {
  std::int32_t low, high;  // vertices
  std::uint32_t face;
  std::uint8_t corner;  // before the edge
  [[nodiscard]] bool is_of(const HalfEdge& other) const { return low == other.low && high == other.high; }
};

std::vector<HalfEdge> sorted_half_edges(const std::vector<Triangle>& triangles) {
  std::vector<HalfEdge> edges;
  edges.reserve(3 * triangles.size());
  for (std::size_t face = 0; face < triangles.size(); ++face) {
    for (std::uint8_t i = 0; i < 3; ++i) {
      const std::int32_t a = triangles[face][i], b = triangles[face][(i + 1U) % 3];
      edges.push_back({std::min(a, b), std::max(a, b), static_cast<std::uint32_t>(face), i});
    }
  }
  std::ranges::sort(edges, [](const HalfEdge& a, const HalfEdge& b) {
    return std::tie(a.low, a.high, a.face, a.corner) < std::tie(b.low, b.high, b.face, b.corner);
  });
  return edges;
}

// Calls visit(first, end) for the half-edges of each edge.
template <typename Visit>
void for_each_edge(const std::vector<HalfEdge>& edges, const Visit& visit) {
  for (std::size_t first = 0, end = 0; first < edges.size(); first = end) {
    end = first + 1;
    while (end < edges.size() && edges[end].is_of(edges[first])) ++end;
    visit(first, end);
  }
}

void find_neighbours(const std::vector<HalfEdge>& edges, PaintedSurface& surface) {
  surface.neighbours.assign(surface.triangles.size(), {-1, -1, -1});
  for_each_edge(edges, [&](std::size_t first, std::size_t end) {
    if (end - first != 2 || edges[first].low == edges[first].high) return;
    const HalfEdge &a = edges[first], &b = edges[first + 1];
    surface.neighbours[a.face][a.corner] = static_cast<int>(b.face);
    surface.neighbours[b.face][b.corner] = static_cast<int>(a.face);
  });
}

void measure(PaintedSurface& surface) {
  surface.normals.resize(surface.triangles.size());
  surface.areas.resize(surface.triangles.size());
  for (std::size_t face = 0; face < surface.triangles.size(); ++face) {
    const Eigen::Vector3d a = surface.corner(face, 0).cast<double>();
    const Eigen::Vector3d across =
        (surface.corner(face, 1).cast<double>() - a).cross(surface.corner(face, 2).cast<double>() - a);
    const double length = across.norm();
    surface.areas[face] = static_cast<float>(length / 2);
    surface.normals[face] = surface.areas[face] > 0 ? (across / length).cast<float>().eval() : Eigen::Vector3f::Zero();
  }
}

void complete(const std::vector<HalfEdge>& edges, PaintedSurface& surface) {
  find_neighbours(edges, surface);
  surface.faces_of = triangle_fans(surface.triangles, surface.vertices.size());
  measure(surface);
}

}  // namespace

double PaintedSurface::area() const { return std::accumulate(areas.begin(), areas.end(), 0.0); }

WeldedSurface find_painted_surface(const TriangleMesh& mesh) {
  const std::size_t count = mesh.vertices.size();
  std::vector<std::int32_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  const auto place = [&](std::int32_t vertex) {
    const Eigen::Vector3f& point = mesh.vertices[static_cast<std::size_t>(vertex)];
    return std::tuple(point.x(), point.y(), point.z());
  };
  std::ranges::sort(order, [&](std::int32_t a, std::int32_t b) {
    return std::tuple_cat(place(a), std::tuple(a)) < std::tuple_cat(place(b), std::tuple(b));
  });
  std::vector<std::int32_t> first(count);  // the first vertex at the same place
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_new = i == 0 || place(order[i]) != place(order[i - 1]);
    first[static_cast<std::size_t>(order[i])] = is_new ? order[i] : first[static_cast<std::size_t>(order[i - 1])];
  }
  WeldedSurface welded;
  welded.vertex_of.resize(count);
  for (std::size_t v = 0; v < count; ++v) {
    const auto same = static_cast<std::size_t>(first[v]);
    if (same == v) {
      welded.vertex_of[v] = static_cast<std::int32_t>(welded.surface.vertices.size());
      welded.surface.vertices.push_back(mesh.vertices[v]);
    } else {
      welded.vertex_of[v] = welded.vertex_of[same];
    }
  }
  TriangleMesh wound{welded.surface.vertices, mesh.triangles};
  for (Triangle& triangle : wound.triangles) {
    for (std::int32_t& vertex : triangle) vertex = welded.vertex_of[static_cast<std::size_t>(vertex)];
  }
  // Corners keep their places, so that texels do: a flipped triangle is the same with another normal.
  const std::vector<Triangle> flipped = wound_for_display(wound);
  welded.surface.triangles = std::move(wound.triangles);
  complete(sorted_half_edges(welded.surface.triangles), welded.surface);
  for (std::size_t face = 0; face < flipped.size(); ++face) {
    if (flipped[face] != welded.surface.triangles[face]) welded.surface.normals[face] *= -1;
  }
  return welded;
}

PaintedSurface subdivided(const PaintedSurface& surface) {
  PaintedSurface result;
  result.vertices = surface.vertices;
  std::vector<std::array<std::int32_t, 3>> middles(surface.triangles.size());  // of the edges after each corner
  const std::vector<HalfEdge> edges = sorted_half_edges(surface.triangles);
  for_each_edge(edges, [&](std::size_t first, std::size_t end) {
    const auto vertex = static_cast<std::int32_t>(result.vertices.size());
    for (std::size_t i = first; i < end; ++i) middles[edges[i].face][edges[i].corner] = vertex;
    const auto point = [&](std::int32_t of) { return surface.vertices[static_cast<std::size_t>(of)]; };
    result.vertices.emplace_back((point(edges[first].low) + point(edges[first].high)) / 2);
  });
  for (std::size_t face = 0; face < surface.triangles.size(); ++face) {
    const Triangle &old = surface.triangles[face], &mid = middles[face];
    const std::array<Triangle, 4> parts{Triangle{old[0], mid[0], mid[2]}, Triangle{mid[0], old[1], mid[1]},
                                        Triangle{mid[2], mid[1], old[2]}, Triangle{mid[0], mid[1], mid[2]}};
    result.triangles.insert(result.triangles.end(), parts.begin(), parts.end());
    if (surface.texels.empty()) continue;
    const Texels& at = surface.texels[face];
    const Texels half{(at[0] + at[1]) / 2, (at[1] + at[2]) / 2, (at[2] + at[0]) / 2};
    const std::array<Texels, 4> places{Texels{at[0], half[0], half[2]}, Texels{half[0], at[1], half[1]},
                                       Texels{half[2], half[1], at[2]}, Texels{half[0], half[1], half[2]}};
    result.texels.insert(result.texels.end(), places.begin(), places.end());
  }
  complete(sorted_half_edges(result.triangles), result);
  for (std::size_t face = 0; face < result.triangles.size(); ++face) {
    if (result.normals[face].dot(surface.normals[face / 4]) < 0) result.normals[face] *= -1;
  }
  return result;
}

namespace {

/// The vertices without a colour, in the order of their distance from those that have one; `rings`: where each ring of
/// them begins. Vertices that no edge connects to a known one are not among them.
std::vector<std::uint32_t> by_distance(const PaintedSurface& surface, const std::vector<bool>& known) {
  std::vector<bool> reached = known;
  std::vector<std::uint32_t> order, ring;
  for (std::uint32_t vertex = 0; vertex < known.size(); ++vertex) {
    if (known[vertex]) ring.push_back(vertex);
  }
  while (!ring.empty()) {
    std::vector<std::uint32_t> next;
    for (const std::uint32_t vertex : ring) {
      for (const std::uint32_t face : surface.faces_of.of(vertex)) {
        for (const std::int32_t other : surface.triangles[face]) {
          const auto neighbour = static_cast<std::uint32_t>(other);
          if (reached[neighbour]) continue;
          reached[neighbour] = true;
          next.push_back(neighbour);
        }
      }
    }
    order.insert(order.end(), next.begin(), next.end());
    ring = std::move(next);
  }
  return order;
}

/// The mean over the neighbours for which `counts` holds; each edge of two triangles counts twice.
template <typename Counts>
Eigen::Array3f mean_around(const PaintedSurface& surface, std::uint32_t vertex,
                           const std::vector<Eigen::Array3f>& colours, const Counts& counts) {
  Eigen::Array3f sum = Eigen::Array3f::Zero();
  float count = 0;
  for (const std::uint32_t face : surface.faces_of.of(vertex)) {
    for (const std::int32_t other : surface.triangles[face]) {
      const auto neighbour = static_cast<std::uint32_t>(other);
      if (neighbour == vertex || !counts(neighbour)) continue;
      sum += colours[neighbour];
      ++count;
    }
  }
  return count > 0 ? (sum / count).eval() : colours[vertex];
}

/// Along the edges, from the nearest known vertex; infinite where none is connected.
std::vector<float> distances_from(const PaintedSurface& surface, const std::vector<bool>& known) {
  using Reached = std::pair<float, std::uint32_t>;
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> queue;
  std::vector<float> distances(known.size(), std::numeric_limits<float>::infinity());
  for (std::uint32_t vertex = 0; vertex < known.size(); ++vertex) {
    if (!known[vertex]) continue;
    distances[vertex] = 0;
    queue.emplace(0.0F, vertex);
  }
  while (!queue.empty()) {
    const auto [distance, vertex] = queue.top();
    queue.pop();
    if (distance > distances[vertex]) continue;
    for (const std::uint32_t face : surface.faces_of.of(vertex)) {
      for (const std::int32_t other : surface.triangles[face]) {
        const auto neighbour = static_cast<std::uint32_t>(other);
        const float further = distance + (surface.vertices[neighbour] - surface.vertices[vertex]).norm();
        if (!(further < distances[neighbour])) continue;
        distances[neighbour] = further;
        queue.emplace(further, neighbour);
      }
    }
  }
  return distances;
}

}  // namespace

void mark_unknown(const PaintedSurface& surface, const std::vector<bool>& known, std::vector<Eigen::Array3f>& colours) {
  constexpr float kNear = 0.01F, kFar = 0.04F;  // of the diagonal
  const Eigen::Array3f grey = Eigen::Array3f::Constant(0.2F);
  const float diagonal = box_of(surface.vertices).diagonal().norm();
  const std::vector<float> distances = distances_from(surface, known);
  for (std::size_t vertex = 0; vertex < colours.size(); ++vertex) {
    const float share = diagonal > 0 ? (distances[vertex] / diagonal - kNear) / (kFar - kNear) : 0;
    colours[vertex] += std::clamp(share, 0.0F, 1.0F) * (grey - colours[vertex]);
  }
}

void diffuse_colours(const PaintedSurface& surface, const std::vector<bool>& known,
                     std::vector<Eigen::Array3f>& colours) {
  Eigen::Array3d sum = Eigen::Array3d::Zero();
  double count = 0;
  for (std::size_t vertex = 0; vertex < known.size(); ++vertex) {
    if (!known[vertex]) continue;
    sum += colours[vertex].cast<double>();
    ++count;
  }
  const Eigen::Array3f mean = (sum / std::max(count, 1.0)).cast<float>();
  for (std::size_t vertex = 0; vertex < known.size(); ++vertex) {
    if (!known[vertex]) colours[vertex] = mean;
  }
  const std::vector<std::uint32_t> order = by_distance(surface, known);
  std::vector<bool> has_colour = known;
  for (const std::uint32_t vertex : order) {
    colours[vertex] = mean_around(surface, vertex, colours, [&](std::uint32_t other) { return has_colour[other]; });
    has_colour[vertex] = true;
  }
  // Successive overrelaxation, forwards and backwards; the colours from outside in are close already.
  constexpr int kSweeps = 60;
  constexpr float kBeyond = 1.6F, kEnough = 2e-4F;
  const auto all = [](std::uint32_t) { return true; };
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    float largest = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::uint32_t vertex = order[sweep % 2 == 0 ? i : order.size() - 1 - i];
      const Eigen::Array3f change = kBeyond * (mean_around(surface, vertex, colours, all) - colours[vertex]);
      colours[vertex] += change;
      largest = std::max(largest, change.abs().maxCoeff());
    }
    if (largest < kEnough) break;
  }
}

}  // namespace p2mpp
