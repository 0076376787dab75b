#include "geometry/marching_cubes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "geometry/corner_table.h"
#include "geometry/drawn_fields.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

using testing::all_cells;
using testing::ball;
using testing::drawn_surface;
using testing::grid_of;
using testing::torus_field;

TEST(MarchingCubesTest, ABallIsClosedAndExactWithinACell) {
  const TriangleMesh mesh = drawn_surface(ball, 32, 1.2);
  EXPECT_TRUE(check_mesh(mesh).ok()) << check_mesh(mesh).detail;
  EXPECT_EQ(euler_characteristic(mesh), 2);
  EXPECT_NEAR(signed_volume(mesh), 4.18879, 0.03);
  // A chord of an edge: cell^2 / 8.
  for (const Eigen::Vector3f& vertex : mesh.vertices) EXPECT_NEAR(vertex.norm(), 1, 0.002);
}

TEST(MarchingCubesTest, ATorusKeepsItsHole) {
  const TriangleMesh mesh = drawn_surface(torus_field, 24, 1.5);
  EXPECT_TRUE(check_mesh(mesh).ok());
  EXPECT_EQ(euler_characteristic(mesh), 0);
}

/// Noise has every configuration of corners: 6 x 23^3 cells of 256.
TEST(MarchingCubesTest, NoiseIsClosedAndManifold) {
  constexpr int kSize = 24;
  const CellGrid grid = grid_of(kSize, 1);
  for (unsigned seed = 0; seed < 6; ++seed) {
    const auto noise = [&](const Eigen::Vector3d& point) {
      const Eigen::Array3d corner = ((point - grid.origin) / grid.cell).array().round();
      if (corner.minCoeff() < 1 || corner.maxCoeff() > kSize - 1) return -1.0F;
      const auto drawn = static_cast<double>(seed) + corner.matrix().dot(Eigen::Vector3d(12.9898, 78.233, 37.719));
      const double share = std::sin(drawn) * 43758.5453;
      return static_cast<float>(share - std::floor(share) - (seed % 2 == 0 ? 0.5 : 0.7));
    };
    const TriangleMesh mesh = drawn_surface(noise, kSize, 1);
    EXPECT_GT(mesh.triangles.size(), 20'000U);
    EXPECT_NO_THROW(CornerTable{mesh});
    EXPECT_GT(signed_volume(mesh), 0);
  }
}

TEST(MarchingCubesTest, OrderOfCellsRepetitionAndThreadsChangeNothing) {
  std::vector<GridCell> cells = all_cells(24);
  const TriangleMesh mesh = drawn_surface(torus_field, 24, 1.5);
  const std::vector<GridCell> once = cells;
  cells.insert(cells.end(), once.begin(), once.end());
  std::shuffle(cells.begin(), cells.end(), std::mt19937(3));
  const TriangleMesh other = marching_cubes(grid_of(24, 1.5), cells, torus_field, 3);
  EXPECT_EQ(mesh.triangles, other.triangles);
  EXPECT_EQ(mesh.vertices, other.vertices);
}

/// The callers' lists come from bounds of fields that are not quite distances.
TEST(MarchingCubesTest, MissingCellsAreAdded) {
  const TriangleMesh mesh = drawn_surface(torus_field, 24, 1.5);
  std::mt19937 chance(5);
  for (const double kept : {0.999, 0.9, 0.02}) {
    std::vector<GridCell> cells = all_cells(24);
    std::erase_if(cells, [&](const GridCell&) { return std::uniform_real_distribution(0.0, 1.0)(chance) > kept; });
    const TriangleMesh other = marching_cubes(grid_of(24, 1.5), cells, torus_field);
    EXPECT_NO_THROW(CornerTable{other});
    EXPECT_EQ(mesh.triangles.size(), other.triangles.size()) << kept;
    EXPECT_EQ(mesh.vertices.size(), other.vertices.size()) << kept;
  }
}

TEST(MarchingCubesTest, ASurfaceThatLeavesTheGridEndsThere) {
  const TriangleMesh mesh = drawn_surface(ball, 16, 0.8);
  EXPECT_FALSE(mesh.triangles.empty());
  EXPECT_THROW(CornerTable{mesh}, InputError);
  EXPECT_TRUE(drawn_surface([](const Eigen::Vector3d&) { return -1.0F; }, 4, 1).triangles.empty());
  EXPECT_TRUE(marching_cubes(grid_of(4, 1), {}, ball).triangles.empty());
}

/// A ball with a hollow of 0.1%, beside one of 0.1% and one of 0.5% of its volume.
TEST(MarchingCubesTest, SpecksOfLessThanTwoThousandthsGo) {
  const auto is_in = [](const Eigen::Vector3d& point, double x, double radius) {
    return radius - (point - Eigen::Vector3d(x, 0, 0)).norm();
  };
  const auto field = [&](const Eigen::Vector3d& point) {
    const double solid = std::min(is_in(point, 0, 1), -is_in(point, 0, 0.1));
    return static_cast<float>(std::max({solid, is_in(point, 1.3, 0.1), is_in(point, -1.3, 0.171)}));
  };
  const LargeParts kept = without_specks(drawn_surface(field, 48, 1.5));
  EXPECT_EQ(kept.parts, 2U);
  EXPECT_EQ(kept.dropped, 2U);
  EXPECT_NEAR(signed_volume(kept.mesh), 4.18879 * 1.005, 0.03);
  EXPECT_NO_THROW(CornerTable{kept.mesh});
}

}  // namespace
}  // namespace p2mpp
