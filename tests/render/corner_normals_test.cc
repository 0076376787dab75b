#include "render/corner_normals.h"

#include "render/drawing.h"

namespace p2mpp {
namespace {

TEST(CornerNormals, AreSmoothOnASphere) {
  const TriangleMesh mesh = ball(1, {0, 0, 0}, 3);
  const Points normals = corner_normals(mesh, 50);
  ASSERT_EQ(normals.size(), 3 * mesh.triangles.size());
  for (std::size_t i = 0; i < normals.size(); ++i) {
    const Eigen::Vector3f& vertex = mesh.vertices[static_cast<std::size_t>(mesh.triangles[i / 3][i % 3])];
    EXPECT_GT(normals[i].dot(vertex), 0.999F);
  }
}

TEST(CornerNormals, AreTheTrianglesOwnWithoutACrease) {
  const TriangleMesh mesh = testing::icosahedron();
  const Points normals = corner_normals(mesh, 0);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    EXPECT_LT((normals[3 * t] - normals[3 * t + 1]).norm(), 1e-6F);
    EXPECT_LT((normals[3 * t] - normals[3 * t + 2]).norm(), 1e-6F);
  }
}

TEST(CornerNormals, StopAtAnEdgeThatIsSharperThanTheCrease) {
  // Two triangles that meet at a right angle.
  const TriangleMesh mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 1, 2}, {1, 0, 3}}};
  const Points sharp = corner_normals(mesh, 50), smooth = corner_normals(mesh, 100);
  EXPECT_LT((sharp[0] - Eigen::Vector3f(0, 0, 1)).norm(), 1e-6F);
  EXPECT_LT((smooth[0] - Eigen::Vector3f(0, 1, 1).normalized()).norm(), 1e-6F);
}

TEST(CornerNormals, VanishWithTheArea) {
  const Points normals = corner_normals({{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, {{0, 1, 2}}}, 50);
  for (const Eigen::Vector3f& normal : normals) EXPECT_EQ(normal, Eigen::Vector3f::Zero());
}

}  // namespace
}  // namespace p2mpp
