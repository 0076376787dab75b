#include "surface/surface_mesh.h"

#include <Eigen/Geometry>
#include <algorithm>

#include "base/parallel.h"
#include "geometry/even_mesh.h"
#include "p2mpp/sample.h"

namespace p2mpp {
namespace {

constexpr float kEmpty = -1, kFull = 1;  ///< the field there

/// The cells between voxels' centres that the surface crosses and that touch an active block. A cell has the number of
/// its first voxel, plus one: the first voxel of those at the grid's border is outside it.
std::vector<GridCell> crossed_cells(const BlockGrid& grid, const std::vector<float>& field, int threads) {
  std::vector<std::vector<GridCell>> of_slots(grid.active());
  for_each_task(grid.active(), threads, [&](std::size_t slot) {
    BlockSurroundings around(1);
    around.gather(grid, field, slot, kEmpty, kFull);
    const Eigen::Vector3i first = kBlockSide * grid.place(slot);
    for (int z = -1; z < kBlockSide; ++z) {
      for (int y = -1; y < kBlockSide; ++y) {
        for (int x = -1; x < kBlockSide; ++x) {
          int inside = 0;
          for (int corner = 0; corner < 8; ++corner) {
            inside += static_cast<int>(around.at(x + (corner & 1), y + (corner >> 1 & 1), z + (corner >> 2)) > 0);
          }
          if (inside == 0 || inside == 8) continue;
          of_slots[slot].push_back({first.x() + x + 1, first.y() + y + 1, first.z() + z + 1});
        }
      }
    }
  });
  std::vector<GridCell> cells;
  for (const std::vector<GridCell>& some : of_slots) cells.insert(cells.end(), some.begin(), some.end());
  return cells;
}

/// Moves a point along the field's gradient to where the field is 0.
Eigen::Vector3f onto_surface(const BlockGrid& grid, const std::vector<float>& field, const Eigen::Vector3f& point) {
  constexpr int kSteps = 3;
  Eigen::Vector3f place = point;
  for (int i = 0; i < kSteps; ++i) {
    const auto [here, slope] = grid.interpolate(field, place, kEmpty, kFull);
    const float steepness = slope.squaredNorm();
    if (steepness < 0.01F / (grid.voxel() * grid.voxel())) break;  // on a ridge
    Eigen::Vector3f way = -here / steepness * slope;
    if (const float length = way.norm(); length > grid.voxel()) way *= grid.voxel() / length;
    place += way;
  }
  return place;
}

/// About as many vertices as wanted, and no fewer or more than a mesh may have.
TriangleMesh evened(const TriangleMesh& mesh, const BlockGrid& grid, const std::vector<float>& field,
                    std::size_t vertices, int threads) {
  constexpr int kTries = 4;
  constexpr double kMargin = 1.06;
  const auto onto = [&](const Eigen::Vector3f& point) { return onto_surface(grid, field, point); };
  auto wanted = static_cast<double>(vertices);
  for (int i = 0;; ++i) {
    TriangleMesh even = even_mesh(mesh, static_cast<std::size_t>(wanted), onto, threads);
    const auto count = static_cast<double>(even.vertices.size());
    const double allowed = std::clamp<double>(count, kMinInitialVertices, kMaxInitialVertices);
    if (count == allowed || i == kTries) return even;
    wanted *= allowed / count * (allowed > count ? kMargin : 1 / kMargin);
  }
}

}  // namespace

LargeParts surface_mesh(const BlockGrid& grid, const std::vector<float>& field, std::size_t vertices, int threads) {
  const std::vector<GridCell> cells = crossed_cells(grid, field, threads);
  if (cells.empty()) return {};
  const auto voxel = static_cast<double>(grid.voxel());
  const CellGrid corners{grid.lower().cast<double>() - Eigen::Vector3d::Constant(voxel / 2), voxel,
                         kBlockSide * grid.counts().maxCoeff() + 1};
  const TriangleMesh fine = marching_cubes(
      corners, cells,
      [&](const Eigen::Vector3d& point) { return grid.interpolate(field, point.cast<float>(), kEmpty, kFull).value; },
      threads);
  LargeParts surface = without_specks(fine);
  surface.mesh = evened(surface.mesh, grid, field, vertices, threads);
  return surface;
}

}  // namespace p2mpp
