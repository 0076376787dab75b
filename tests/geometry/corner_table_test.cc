#include "geometry/corner_table.h"

#include <gtest/gtest.h>

#include <random>

#include "geometry/drawn_fields.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

using testing::drawn_surface;
using testing::torus_field;

/// Random collapses, splits and flips leave a closed manifold of the same topology.
TEST(CornerTableTest, StaysAManifold) {
  const TriangleMesh fine = drawn_surface(torus_field, 12, 1.5);
  std::mt19937 random(1);
  CornerTable table(fine);
  Points positions = fine.vertices;
  int collapses = 0, flips = 0;
  for (int step = 0; step < 4000; ++step) {
    const std::size_t half_edge = random() % table.half_edges();
    if (!table.is_alive(half_edge)) continue;
    switch (random() % 4) {
      case 0:
        static_cast<void>(table.split(half_edge));
        positions.push_back(positions[0]);
        break;
      case 1:
        if (table.can_flip(half_edge)) table.flip(half_edge), ++flips;
        break;
      default:
        if (table.can_collapse(half_edge)) table.collapse(half_edge), ++collapses;
    }
  }
  EXPECT_GT(collapses, 500);
  EXPECT_GT(flips, 200);
  const TriangleMesh mesh = table.mesh(positions);
  EXPECT_EQ(mesh.vertices.size(), table.vertex_count());
  EXPECT_TRUE(check_mesh(mesh).ok()) << check_mesh(mesh).detail;
  EXPECT_EQ(euler_characteristic(mesh), 0);
}

TEST(CornerTableTest, SurfacesThatTouchAreRefused) {
  // Two tetrahedra that share a vertex.
  const TriangleMesh touching{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}},
                              {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}, {0, 5, 4}, {0, 4, 6}, {0, 6, 5}, {4, 5, 6}}};
  EXPECT_THROW(CornerTable{touching}, InputError);
}

}  // namespace
}  // namespace p2mpp
