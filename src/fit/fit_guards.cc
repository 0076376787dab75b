#include "fit/fit_guards.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "base/numbers/median.h"
#include "base/parallel.h"
#include "geometry/points.h"

namespace p2mpp {
namespace {

constexpr float kClearlyOutside = 1.5F;  ///< pixels of 224x224
constexpr std::size_t kFewestNeighbours = 3;
constexpr float kUsualSpread = 0.5F;     ///< of a match from its neighbours, relative to the edges' length
constexpr double kLeastAgreeing = 0.25;  ///< a share. A shiny can has 0.15, a stone temple 0.6

Eigen::Vector3f triangle_area(const Triangle& triangle, std::span<const Eigen::Vector3f> vertices) {
  const Eigen::Vector3f& corner = vertices[static_cast<std::size_t>(triangle[0])];
  return (vertices[static_cast<std::size_t>(triangle[1])] - corner)
      .cross(vertices[static_cast<std::size_t>(triangle[2])] - corner);
}

/// Whether a point projects into the background, by more than `pixels` of the mask. What the image does not show is
/// not outside.
bool is_outside(const FitTarget& target, const Eigen::Vector3f& point, float pixels) {
  const Eigen::Vector2f pixel = project_vertices(std::span(&point, 1), target.view.float_camera()).pixels.front();
  if (!pixel_index(pixel, target.view.width)) return false;
  return target.boundary.is_background(pixel) && (target.boundary.nearest(pixel).position - pixel).norm() > pixels;
}

/// The edges between vertices that are compared, at least 1: near ones see nearly the same pixels.
int steps_apart(const FitSurface& surface, std::span<const Eigen::Vector3f> vertices) {
  constexpr float kApart = 0.01F;  // of the diagonal
  const float apart = kApart * box_of(vertices).diagonal().norm();
  return std::max(1, static_cast<int>(std::lround(apart / mean_edge_length(surface, vertices))));
}

/// The vertices to which the shortest way has so many edges.
std::vector<std::size_t> ring_around(const FitSurface& surface, std::size_t vertex, int steps) {
  std::vector<std::size_t> before, ring = {vertex};
  for (int step = 0; step < steps; ++step) {
    std::vector<std::size_t> next;
    for (const std::size_t each : ring) {
      for (const std::int32_t other : surface.neighbours(each)) next.push_back(static_cast<std::size_t>(other));
    }
    std::ranges::sort(next);
    next.erase(std::unique(next.begin(), next.end()), next.end());
    std::erase_if(next, [&](std::size_t each) {
      return std::ranges::find(before, each) != before.end() || std::ranges::find(ring, each) != ring.end();
    });
    before = std::exchange(ring, std::move(next));
  }
  return ring;
}

}  // namespace

void drop_minorities(std::span<const FitTarget> targets, std::span<const Eigen::Vector3f> vertices, int allowance,
                     int threads, std::vector<std::vector<FitForce>>& found) {
  std::vector<int> outside(vertices.size());
  for (const std::vector<FitForce>& forces : found) {
    for (const FitForce& force : forces) outside[static_cast<std::size_t>(force.vertex)] += force.is_inward ? 1 : 0;
  }
  for_each_task(found.size(), threads, [&](std::size_t i) {
    std::erase_if(found[i], [&](const FitForce& force) {
      const auto vertex = static_cast<std::size_t>(force.vertex);
      if (force.is_inward) return outside[vertex] <= allowance;
      const Eigen::Vector3f place = vertices[vertex] + force.distance * force.direction;
      int objections = 0;
      for (std::size_t k = 0; k < targets.size() && objections <= allowance; ++k) {
        objections += k != i && is_outside(targets[k], place, kClearlyOutside * targets[k].scale) ? 1 : 0;
      }
      return objections > allowance;
    });
  });
}

bool do_agree(const FitSurface& surface, std::span<const Eigen::Vector3f> vertices,
              std::span<const SurfaceMatch> matches) {
  std::vector<std::size_t> of_vertex(vertices.size(), matches.size());
  for (std::size_t i = 0; i < matches.size(); ++i) of_vertex[static_cast<std::size_t>(matches[i].vertex)] = i;
  const int steps = steps_apart(surface, vertices);
  std::size_t agreeing = 0;
  for (const SurfaceMatch& match : matches) {
    const auto vertex = static_cast<std::size_t>(match.vertex);
    std::vector<float> around;
    float lengths = 0;
    const std::vector<std::size_t> ring = ring_around(surface, vertex, steps);
    for (const std::size_t other : ring) {
      lengths += (vertices[other] - vertices[vertex]).norm();
      if (of_vertex[other] < matches.size()) around.push_back(matches[of_vertex[other]].distance);
    }
    if (around.size() < kFewestNeighbours * static_cast<std::size_t>(steps)) continue;
    const float usual = upper_median(std::move(around));
    const float length = lengths / static_cast<float>(ring.size());
    if (std::fabs(match.distance - usual) <= kUsualSpread * length) ++agreeing;
  }
  return static_cast<double>(agreeing) >= kLeastAgreeing * static_cast<double>(matches.size());
}

std::optional<Contacts> keep_apart(const FitSurface& surface, std::span<const Eigen::Vector3f> before,
                                   const Contacts& were, int threads, Points& after) {
  constexpr int kRounds = 12;
  std::vector<std::uint8_t> is_back(before.size()), are_neighbours_back(before.size());
  const auto put_back = [&](std::size_t vertex) {
    is_back[vertex] = 1;
    after[vertex] = before[vertex];
  };
  for (int round = 0; round < kRounds; ++round) {
    Contacts contacts = find_contacts(after, surface.triangles(), were.margin, threads);
    bool is_clean = true;
    for (std::size_t i = 0; i < surface.triangles().size(); ++i) {
      const Triangle& triangle = surface.triangles()[i];
      const Eigen::Vector3f normal = triangle_area(triangle, before).stableNormalized();
      const bool folds = !normal.isZero(0) && normal.dot(triangle_area(triangle, after)) <= 0;
      if (!folds && contacts.of_triangles[i] <= were.of_triangles[i]) continue;
      is_clean = false;
      for (const std::int32_t corner : triangle) {
        const auto vertex = static_cast<std::size_t>(corner);
        if (is_back[vertex] != 0 && std::exchange(are_neighbours_back[vertex], std::uint8_t{1}) == 0) {
          for (const std::int32_t other : surface.neighbours(vertex)) put_back(static_cast<std::size_t>(other));
        }
        put_back(vertex);
      }
    }
    if (is_clean) return contacts;
  }
  return {};
}

double roughness(const FitSurface& surface, std::span<const Eigen::Vector3f> vertices) {
  std::vector<Eigen::Vector3f> normals;
  for (const Triangle& triangle : surface.triangles())
    normals.push_back(triangle_area(triangle, vertices).normalized());
  double sum = 0, lengths = 0;
  for (const SurfaceEdge& edge : surface.edges()) {
    if (edge.left == edge.right) continue;
    const double length =
        (vertices[static_cast<std::size_t>(edge.edge[0])] - vertices[static_cast<std::size_t>(edge.edge[1])]).norm();
    sum += length * (1 - normals[edge.left].dot(normals[edge.right]));
    lengths += length;
  }
  return lengths > 0 ? sum / lengths : 0;
}

}  // namespace p2mpp
