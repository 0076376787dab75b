#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

using GridCell = std::array<std::int32_t, 3>;  ///< x, y, z; its first corner has the same numbers

/// The positions of the corners of a grid's cells.
struct CellGrid {
  Eigen::Vector3d origin = Eigen::Vector3d::Zero();  ///< of the corner 0, 0, 0
  double cell = 1;                                   ///< the side of a cell
  std::int32_t size = 0;                             ///< cells of a side: all are within 0 to size - 1
};

/// The surface on which a field is 0, wound outward: the field is positive inside. Vertices lie on the edges of cells,
/// where the field, taken as linear along the edge, is 0. `cells`: the cells that may contain a part of the surface,
/// in any order. The field is evaluated once at each of their corners, by up to `threads` threads at the same time.
/// Where the surface leaves the listed cells, the cells beyond are added and all is evaluated again, so only few should
/// be missing. If the surface stays inside the grid, the mesh is closed and manifold. It has the components of the
/// surface that cross a listed cell. Memory: two layers of the grid, and the cells. Deterministic. Source: Lorensen and
/// Cline, "Marching Cubes" (1987); on a face whose corners alternate, those inside are separated.
[[nodiscard]] TriangleMesh marching_cubes(const CellGrid& grid, std::span<const GridCell> cells,
                                          const std::function<float(const Eigen::Vector3d&)>& field, int threads = 1);

/// A mesh without its specks.
struct LargeParts {
  TriangleMesh mesh;
  std::size_t parts = 0, dropped = 0;  ///< components that are kept, and small ones that are not
};

/// Removes components and cavities of less than two thousandths of the largest one's volume. Precondition: the mesh has
/// a vertex.
[[nodiscard]] LargeParts without_specks(const TriangleMesh& mesh);

}  // namespace p2mpp
