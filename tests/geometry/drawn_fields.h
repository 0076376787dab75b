#pragma once

#include <cmath>
#include <functional>
#include <vector>

#include "geometry/marching_cubes.h"

namespace p2mpp::testing {

using Field = std::function<float(const Eigen::Vector3d&)>;

inline CellGrid grid_of(int size, double half) { return {Eigen::Vector3d::Constant(-half), 2 * half / size, size}; }

inline std::vector<GridCell> all_cells(int size) {
  std::vector<GridCell> cells;
  for (std::int32_t x = 0; x < size; ++x) {
    for (std::int32_t y = 0; y < size; ++y) {
      for (std::int32_t z = 0; z < size; ++z) cells.push_back({x, y, z});
    }
  }
  return cells;
}

inline TriangleMesh drawn_surface(const Field& field, int size, double half, int threads = 1) {
  return marching_cubes(grid_of(size, half), all_cells(size), field, threads);
}

inline float ball(const Eigen::Vector3d& point) { return static_cast<float>(1 - point.norm()); }
inline float torus_field(const Eigen::Vector3d& point) {
  return static_cast<float>(0.35 - std::hypot(std::hypot(point.x(), point.z()) - 1, point.y()));
}

inline Eigen::Vector3f onto_torus(const Eigen::Vector3f& point) {
  const Eigen::Vector3f ring = Eigen::Vector3f(point.x(), 0, point.z()).normalized();
  return ring + 0.35F * (point - ring).normalized();
}

}  // namespace p2mpp::testing
