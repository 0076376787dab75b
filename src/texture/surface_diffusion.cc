#include "texture/surface_diffusion.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

#include "geometry/points.h"

namespace p2mpp {
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
