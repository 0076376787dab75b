#include "geometry/marching_cubes.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "geometry/disjoint_sets.h"

namespace p2mpp {
namespace {

// A corner is a number of three bits: x + 2y + 4z. An edge is 3 * its first corner + its axis; 24 numbers, of which 12
// are edges.
constexpr int kEdges = 24;

constexpr int edge_between(int a, int b) {
  const int axis = (a ^ b) == 1 ? 0 : (a ^ b) == 2 ? 1 : 2;
  return 3 * std::min(a, b) + axis;
}

/// The corners of a face, counter-clockwise seen from outside the cube.
std::array<int, 4> face_corners(int axis, int side) {
  const int u = 1 << (axis + 1) % 3, v = 1 << (axis + 2) % 3, base = side << axis;
  return side != 0 ? std::array{base, base + u, base + u + v, base + v}
                   : std::array{base, base + v, base + u + v, base + u};
}

bool on_one_face(int one, int other) {
  for (int axis = 0; axis < 3; ++axis) {
    for (int side = 0; side < 2; ++side) {
      const auto is_on = [&](int edge) { return edge % 3 != axis && ((edge / 3 >> axis) & 1) == side; };
      if (is_on(one) && is_on(other)) return true;
    }
  }
  return false;
}

/// A closed line around a part of the surface in a cube, as edges in order.
struct CellLoop {
  std::vector<int> edges;
  bool is_fan = true;  ///< triangles from its first edge do; otherwise they meet in a vertex of the loop's middle
};

/// Rotates a loop so that no side of a triangle of the fan lies on a face, because the neighbour could have the same
/// side.
void choose_fan(CellLoop& loop) {
  const std::size_t count = loop.edges.size();
  for (std::size_t turn = 0; turn < count;
       ++turn, std::rotate(loop.edges.begin(), loop.edges.begin() + 1, loop.edges.end())) {
    bool is_clear = true;
    for (std::size_t i = 2; i + 1 < count; ++i) is_clear = is_clear && !on_one_face(loop.edges[0], loop.edges[i]);
    if (is_clear) return;
  }
  loop.is_fan = false;
}

/// The loops of a cube whose corners are inside where `inside` has a bit.
std::vector<CellLoop> find_loops(unsigned inside) {
  std::array<int, kEdges> next;
  next.fill(-1);
  const auto is_inside = [inside](int corner) { return (inside >> corner & 1U) != 0; };
  for (int face = 0; face < 6; ++face) {
    const std::array<int, 4> corners = face_corners(face / 2, face % 2);
    for (std::size_t i = 0; i < 4; ++i) {
      // A run of corners that are inside begins after this one.
      if (is_inside(corners[i]) || !is_inside(corners[(i + 1) % 4])) continue;
      std::size_t last = (i + 1) % 4;
      while (is_inside(corners[(last + 1) % 4])) last = (last + 1) % 4;
      next[static_cast<std::size_t>(edge_between(corners[i], corners[(i + 1) % 4]))] =
          edge_between(corners[last], corners[(last + 1) % 4]);
    }
  }
  std::vector<CellLoop> loops;
  for (std::size_t start = 0; start < kEdges; ++start) {
    CellLoop loop;
    for (auto edge = start; next[edge] >= 0;) {
      loop.edges.push_back(static_cast<int>(edge));
      edge = static_cast<std::size_t>(std::exchange(next[edge], -1));
    }
    if (loop.edges.empty()) continue;
    choose_fan(loop);
    loops.push_back(std::move(loop));
  }
  return loops;
}

const std::array<std::vector<CellLoop>, 256>& all_loops() {
  static const auto table = [] {
    std::array<std::vector<CellLoop>, 256> made;
    for (unsigned inside = 0; inside < 256; ++inside) made[inside] = find_loops(inside);
    return made;
  }();
  return table;
}

/// Cells are sorted by layer, then by row.
std::array<std::int32_t, 3> edge_order(const GridCell& cell) { return {cell[2], cell[1], cell[0]}; }

/// The numbers of the corners of sorted cells, and their positions.
class CellCorners {
 public:
  CellCorners(const CellGrid& grid, std::span<const GridCell> sorted) : side_(static_cast<std::size_t>(grid.size) + 1) {
    std::array<std::vector<std::int32_t>, 2> layers;
    for (auto& layer : layers) layer.assign(side_ * side_, -1);
    std::int32_t lowest = -1;
    for (const GridCell& cell : sorted) {
      if (cell[2] != lowest) {
        if (cell[2] == lowest + 1) {
          std::swap(layers[0], layers[1]);
        } else {
          std::ranges::fill(layers[0], -1);
        }
        std::ranges::fill(layers[1], -1);
        lowest = cell[2];
      }
      std::array<std::int32_t, 8>& numbers = of_cells.emplace_back();
      for (int corner = 0; corner < 8; ++corner) {
        const GridCell place{cell[0] + (corner & 1), cell[1] + (corner >> 1 & 1), cell[2] + (corner >> 2)};
        std::int32_t& number = layers[static_cast<std::size_t>(corner >> 2)]
                                     [static_cast<std::size_t>(place[1]) * side_ + static_cast<std::size_t>(place[0])];
        if (number < 0) {
          number = static_cast<std::int32_t>(positions.size());
          const Eigen::Vector3d steps(place[0], place[1], place[2]);
          positions.emplace_back(grid.origin + grid.cell * steps);
        }
        numbers[static_cast<std::size_t>(corner)] = number;
      }
    }
  }

  std::vector<std::array<std::int32_t, 8>> of_cells;
  std::vector<Eigen::Vector3d> positions;

 private:
  std::size_t side_;
};

/// The cells of the grid that are not among the sorted ones and lie beyond a face that the surface crosses. A cell may
/// appear several times.
std::vector<GridCell> missing_cells(const CellGrid& grid, std::span<const GridCell> sorted, const CellCorners& corners,
                                    const std::vector<float>& values) {
  const auto is_listed = [&](const GridCell& cell) {
    return std::ranges::binary_search(sorted, edge_order(cell), {}, edge_order);
  };
  std::vector<GridCell> missing;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    for (int face = 0; face < 6; ++face) {
      int inside = 0;
      for (const int corner : face_corners(face / 2, face % 2)) {
        const std::int32_t number = corners.of_cells[i][static_cast<std::size_t>(corner)];
        inside += static_cast<int>(values[static_cast<std::size_t>(number)] > 0);
      }
      if (inside == 0 || inside == 4) continue;
      GridCell beyond = sorted[i];
      std::int32_t& along = beyond[static_cast<std::size_t>(face / 2)];
      along += face % 2 == 0 ? -1 : 1;
      if (along >= 0 && along < grid.size && !is_listed(beyond)) missing.push_back(beyond);
    }
  }
  return missing;
}

class Surface {
 public:
  Surface(const CellCorners& corners, const std::vector<float>& values)
      : corners_(corners), values_(values), on_edges_(3 * values.size(), -1) {}

  TriangleMesh march() {
    for (const auto& cell : corners_.of_cells) {
      unsigned inside = 0;
      for (std::size_t corner = 0; corner < 8; ++corner) {
        inside |= static_cast<unsigned>(value(cell[corner]) > 0) << corner;
      }
      for (const CellLoop& loop : all_loops()[inside]) add(cell, loop);
    }
    return std::move(mesh_);
  }

 private:
  [[nodiscard]] float value(std::int32_t corner) const { return values_[static_cast<std::size_t>(corner)]; }

  void add(const std::array<std::int32_t, 8>& cell, const CellLoop& loop) {
    ring_.clear();
    for (const int edge : loop.edges) ring_.push_back(vertex_on(cell, edge));
    if (loop.is_fan) {
      for (std::size_t i = 1; i + 1 < ring_.size(); ++i) mesh_.triangles.push_back({ring_[0], ring_[i], ring_[i + 1]});
      return;
    }
    Eigen::Vector3f middle = Eigen::Vector3f::Zero();
    for (const std::int32_t vertex : ring_) middle += mesh_.vertices[static_cast<std::size_t>(vertex)];
    const auto centre = static_cast<std::int32_t>(mesh_.vertices.size());
    mesh_.vertices.emplace_back(middle / static_cast<float>(ring_.size()));
    for (std::size_t i = 0; i < ring_.size(); ++i) {
      mesh_.triangles.push_back({centre, ring_[i], ring_[(i + 1) % ring_.size()]});
    }
  }

  std::int32_t vertex_on(const std::array<std::int32_t, 8>& cell, int edge) {
    constexpr double kLeast = 0.02;  // of the edge, from its ends: no triangle is degenerate
    const auto first = static_cast<std::size_t>(edge / 3), axis = static_cast<std::size_t>(edge % 3);
    const std::int32_t a = cell[first], b = cell[first + (std::size_t{1} << axis)];
    std::int32_t& vertex = on_edges_[3 * static_cast<std::size_t>(a) + axis];
    if (vertex >= 0) return vertex;
    vertex = static_cast<std::int32_t>(mesh_.vertices.size());
    const double from = value(a), to = value(b);
    const double share = std::clamp(from / (from - to), kLeast, 1 - kLeast);
    const Eigen::Vector3d& begin = corners_.positions[static_cast<std::size_t>(a)];
    const Eigen::Vector3d place = begin + share * (corners_.positions[static_cast<std::size_t>(b)] - begin);
    mesh_.vertices.emplace_back(place.cast<float>());
    return vertex;
  }

  const CellCorners& corners_;
  const std::vector<float>& values_;
  std::vector<std::int32_t> on_edges_;  // [corners, 3]: the vertex on the edge from a corner along an axis; -1: none
  std::vector<std::int32_t> ring_;
  TriangleMesh mesh_;
};

}  // namespace

TriangleMesh marching_cubes(const CellGrid& grid, std::span<const GridCell> cells,
                            const std::function<float(const Eigen::Vector3d&)>& field, int threads) {
  constexpr std::size_t kTogether = 4096;
  std::vector<GridCell> sorted(cells.begin(), cells.end());
  for (;;) {
    std::ranges::sort(sorted, {}, edge_order);
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    const CellCorners corners(grid, sorted);
    const std::size_t count = corners.positions.size();
    std::vector<float> values(count);
    for_each_task((count + kTogether - 1) / kTogether, threads, [&](std::size_t task) {
      const std::size_t end = std::min(count, (task + 1) * kTogether);
      for (std::size_t i = task * kTogether; i < end; ++i) values[i] = field(corners.positions[i]);
    });
    const std::vector<GridCell> missing = missing_cells(grid, sorted, corners, values);
    if (missing.empty()) return Surface(corners, values).march();
    sorted.insert(sorted.end(), missing.begin(), missing.end());
  }
}

LargeParts without_specks(const TriangleMesh& mesh) {
  constexpr double kLeastShare = 2e-3;
  const auto index = [](std::int32_t vertex) { return static_cast<std::size_t>(vertex); };
  DisjointSets sets(mesh.vertices.size());
  for (const Triangle& triangle : mesh.triangles) {
    sets.unite(index(triangle[0]), index(triangle[1]));
    sets.unite(index(triangle[1]), index(triangle[2]));
  }
  std::vector<double> volumes(mesh.vertices.size());
  const Eigen::Vector3d middle = mesh.vertices.front().cast<double>();
  for (const Triangle& triangle : mesh.triangles) {
    const auto corner = [&](std::size_t k) {
      return Eigen::Vector3d(mesh.vertices[index(triangle[k])].cast<double>() - middle);
    };
    volumes[sets.find(index(triangle[0]))] += corner(0).dot(corner(1).cross(corner(2))) / 6;
  }
  const double least = kLeastShare * *std::ranges::max_element(volumes);
  LargeParts kept;
  std::vector<std::int32_t> number(mesh.vertices.size(), -1);
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    const std::size_t component = sets.find(i);
    if (component == i) ++(volumes[i] > least ? kept.parts : kept.dropped);
    if (volumes[component] <= least) continue;
    number[i] = static_cast<std::int32_t>(kept.mesh.vertices.size());
    kept.mesh.vertices.push_back(mesh.vertices[i]);
  }
  for (const Triangle& triangle : mesh.triangles) {
    if (number[index(triangle[0])] < 0) continue;
    kept.mesh.triangles.push_back({number[index(triangle[0])], number[index(triangle[1])], number[index(triangle[2])]});
  }
  return kept;
}

}  // namespace p2mpp
