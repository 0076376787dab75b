#include <Eigen/LU>

#include "render/drawing.h"
#include "render/shading.h"

namespace p2mpp {
namespace {

TEST(Hemisphere, DirectionsAreUnitVectorsByTheCosine) {
  const auto directions = cosine_directions(256);
  Eigen::Vector3f mean = Eigen::Vector3f::Zero();
  for (const Eigen::Vector3f& direction : directions) {
    EXPECT_NEAR(direction.norm(), 1, 1e-5);
    EXPECT_GE(direction.z(), 0);
    mean += direction / 256;
  }
  EXPECT_LT(mean.head<2>().norm(), 0.02F);
  EXPECT_NEAR(mean.z(), 2.0 / 3, 0.01);  // of the cosine, weighted by itself
}

TEST(Hemisphere, BasesAreRotations) {
  std::mt19937 random(1);
  std::normal_distribution<float> coordinate;
  for (int i = 0; i < 100; ++i) {
    Eigen::Vector3f normal(coordinate(random), coordinate(random), coordinate(random));
    if (i == 0) normal = -Eigen::Vector3f::UnitZ();
    normal.normalize();
    const Eigen::Matrix3f basis = basis_around(normal);
    EXPECT_TRUE((basis * basis.transpose()).isIdentity(1e-5F));
    EXPECT_NEAR(basis.determinant(), 1, 1e-5);
    EXPECT_TRUE(basis.col(2).isApprox(normal));
  }
}

using Openness = RayTracerTest;

TEST_F(Openness, IsWholeOutsideAndNothingInside) {
  const TriangleMesh mesh = ball(1);
  const RayScene scene(mesh, 0);
  Points inward;
  for (const Eigen::Vector3f& vertex : mesh.vertices) inward.push_back(-vertex);
  for (const float open : sky_visibility(scene, mesh.vertices, mesh.vertices, 4, 2)) EXPECT_GT(open, 0.95F);
  for (const float open : sky_visibility(scene, mesh.vertices, inward, 4, 2)) EXPECT_EQ(open, 0);
  for (const float open : sky_visibility(scene, mesh.vertices, inward, 0.01F, 2))
    EXPECT_GT(open, 0.9F);  // nothing is as near
}

TEST_F(Openness, IsAHalfBesideAWall) {
  const TriangleMesh wall{{{0, -100, -100}, {0, -100, 100}, {0, 100, 100}, {0, 100, -100}}, {{0, 1, 2}, {0, 2, 3}}};
  const RayScene scene(wall, 0);
  const Points points = {{0.001F, 0, 0}, {1, 0, 0}}, normals = {{0, 1, 0}, {0, 0, 0}};
  const std::vector<float> open = sky_visibility(scene, points, normals, 1000, 1);
  EXPECT_NEAR(open[0], 0.5, 0.03);
  EXPECT_EQ(open[1], 1);  // a point without a normal
}

TEST(GroundShadow, IsDarkBelowAndFadesAway) {
  P2MPP_NEEDS_RAY_TRACER();
  const TriangleMesh mesh = ball(1, {5, 3, -2});
  const GroundShadow shadow(RayScene(mesh, 0), mesh.vertices, 2);
  EXPECT_NEAR(shadow.height(), 2, 1e-5);
  EXPECT_GT(shadow.at(5, -2), 0.7F);
  EXPECT_GT(shadow.at(5, -2), shadow.at(6.2F, -2));
  EXPECT_GT(shadow.at(6.2F, -2), shadow.at(7.5F, -2));
  EXPECT_NEAR(shadow.at(6.2F, -2), shadow.at(3.8F, -2), 0.05);
  EXPECT_EQ(shadow.at(50, -2), 0);
  EXPECT_EQ(shadow.at(5, -50), 0);
}

}  // namespace
}  // namespace p2mpp
