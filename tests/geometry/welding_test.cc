#include "geometry/foreign/welding.h"

#include <gtest/gtest.h>

#include <cmath>

#include "p2mpp/metrics.h"
#include "support/test_meshes.h"

namespace p2mpp {
namespace {

using testing::torn;

TEST(Weld, JoinsWhatIsAtOnePlace) {
  const TriangleMesh mesh = testing::icosphere(2);
  const Welding welding = weld(torn(mesh));
  EXPECT_EQ(welding.mesh.vertices.size(), mesh.vertices.size());
  EXPECT_TRUE(check_mesh(welding.mesh).ok());
  const TriangleMesh zeros{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {-0.0F, 0, 0}, {0, -1, 0}}, {{0, 1, 2}, {3, 4, 1}}};
  EXPECT_EQ(weld(zeros).mesh.vertices.size(), 4U);
}

TEST(Weld, LeavesAWholeMeshAsItIs) {
  const TriangleMesh mesh = testing::icosphere(1);
  EXPECT_EQ(weld(mesh).mesh.vertices, mesh.vertices);
  EXPECT_EQ(weld(mesh).mesh.triangles, mesh.triangles);
}

TEST(Weld, LeavesOutWhatHasNoArea) {
  TriangleMesh mesh = testing::tetrahedron();
  mesh.vertices.emplace_back(7, 7, 7);        // of no triangle
  mesh.vertices.push_back(mesh.vertices[1]);  // a copy
  mesh.triangles.push_back({0, 1, 5});        // at two places
  mesh.triangles.push_back({2, 2, 3});
  const Welding welding = weld(mesh);
  EXPECT_EQ(welding.mesh.vertices.size(), 4U);
  EXPECT_EQ(welding.mesh.triangles, testing::tetrahedron().triangles);
  EXPECT_EQ(welding.welded, (std::vector<std::int32_t>{0, 1, 2, 3, -1, 1}));
  const Points back = welding.restored({{0, 0, 1}, {0, 0, 2}, {0, 0, 3}, {0, 0, 4}}, mesh.vertices);
  EXPECT_EQ(back, (Points{{0, 0, 1}, {0, 0, 2}, {0, 0, 3}, {0, 0, 4}, {7, 7, 7}, {0, 0, 2}}));
}

TEST(Moved, KeepsNormalsSmoothAcrossSeams) {
  const TriangleMesh sphere = testing::icosphere(2);
  TriangleMesh smooth = torn(sphere), flat = smooth;
  smooth.normals = smooth.vertices;
  flat.normals = vertex_cloud(flat).normals;
  EXPECT_TRUE(has_smooth_seams(smooth));
  EXPECT_FALSE(has_smooth_seams(flat));
  EXPECT_FALSE(has_smooth_seams(torn(sphere)));
  const Points larger = testing::scaled(smooth, 2).vertices;
  const TriangleMesh grown = moved(smooth, larger);
  EXPECT_EQ(grown.vertices, larger);
  for (std::size_t i = 0; i < larger.size(); ++i) EXPECT_GT(grown.normals[i].dot(smooth.normals[i]), 0.99F);
  EXPECT_FALSE(has_smooth_seams(moved(flat, larger)));
  EXPECT_TRUE(moved(torn(sphere), larger).normals.empty());
}

}  // namespace
}  // namespace p2mpp
