#include "render/shading.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "render/drawing.h"
#include "support/growth.h"

namespace p2mpp {
namespace {

TEST(Lights, TurnWithTheCamera) {
  Eigen::Matrix3d turned;
  turned << 0, 0, -1, 0, 1, 0, 1, 0, 0;  // x to the right is the world's -z
  const SurfacePoint front{{0, 0, 1}, {0, 0, 1}, {1, 1, 1}, 1}, side{{1, 0, 0}, {1, 0, 0}, {1, 1, 1}, 1};
  EXPECT_NEAR(Lights(Eigen::Matrix3d::Identity()).shade(front).x(), Lights(turned).shade(side).x(), 1e-5);
}

TEST(Lights, WhatIsClosedInIsDarker) {
  const Lights lights(Eigen::Matrix3d::Identity());
  SurfacePoint point{{0, 0, 1}, {0, 0, 1}, {0.5F, 0.5F, 0.5F}, 1};
  const float open = lights.shade(point).x();
  point.sky_visibility = 0.2F;
  EXPECT_LT(lights.shade(point).x(), 0.6F * open);
  EXPECT_GT(lights.shade(point).x(), 0);
}

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

// At its tip, each of them was added up at each of them: minutes.
TEST(CornerNormals, OfAConeTakeNoLongerThanOfATorus) {
  constexpr int kFaces = 200'000;
  TriangleMesh cone;
  cone.vertices.emplace_back(0, 1, 0);
  for (int i = 0; i < kFaces; ++i) {
    const double angle = 2 * std::numbers::pi * i / kFaces;
    cone.vertices.emplace_back(static_cast<float>(std::cos(angle)), 0, static_cast<float>(std::sin(angle)));
    cone.triangles.push_back({0, 1 + (i + 1) % kFaces, 1 + i});
  }
  const TriangleMesh torus = testing::torus(1000, kFaces / 2000);
  const auto seconds = [](const TriangleMesh& mesh) {
    return seconds_of([&] { EXPECT_EQ(corner_normals(mesh, 50).size(), 3 * kFaces); });
  };
  const double of_torus = seconds(torus);
  EXPECT_LT(seconds(cone), 4 * of_torus + 0.05);
  const Points normals = corner_normals(cone, 50);
  EXPECT_LT((normals.front() - Eigen::Vector3f::UnitY()).norm(), 1e-3F);
  EXPECT_LT((normals[1] - Eigen::Vector3f(1, 1, 0).normalized()).norm(), 1e-3F);
}

}  // namespace

}  // namespace p2mpp
