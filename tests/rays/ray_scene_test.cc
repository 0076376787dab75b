#include "rays/ray_scene.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "support/test_meshes.h"

/// At the front of a test that needs a ray tracer.
#define NEEDS_TRACER() \
  if (RayScene::tracer().empty()) GTEST_SKIP() << "this build has no ray tracer"

namespace p2mpp {
namespace {

TEST(RayScene, MeetsTheNearestTriangle) {
  NEEDS_TRACER();
  // Two squares one behind the other; the second in the list is nearer.
  const TriangleMesh mesh{
      {{-1, -1, -2}, {1, -1, -2}, {1, 1, -2}, {-1, 1, -2}, {-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1}},
      {{0, 1, 2}, {0, 2, 3}, {4, 5, 6}, {4, 6, 7}}};
  const RayScene scene(mesh, 0);
  std::mt19937 random(1);
  std::uniform_real_distribution<float> coordinate(-1.5F, 1.5F);
  std::vector<Ray> rays;
  for (int i = 0; i < 1001; ++i) rays.push_back({{coordinate(random), coordinate(random), 3}, {0, 0, -2}});
  std::vector<RayHit> hits(rays.size());
  scene.intersect(rays, hits);
  for (std::size_t i = 0; i < rays.size(); ++i) {
    const Eigen::Vector3f& from = rays[i].origin;
    const bool inside = std::abs(from.x()) < 1 && std::abs(from.y()) < 1;
    ASSERT_EQ(hits[i].hit(), inside) << from.transpose();
    if (!inside) continue;
    EXPECT_NEAR(hits[i].distance, 2, 1e-5);  // in lengths of the direction
    ASSERT_GE(hits[i].primitive, 2U);
    const Triangle& triangle = mesh.triangles[hits[i].primitive];
    const auto corner = [&](std::size_t k) { return mesh.vertices[static_cast<std::size_t>(triangle[k])]; };
    const Eigen::Vector3f at = (1 - hits[i].u - hits[i].v) * corner(0) + hits[i].u * corner(1) + hits[i].v * corner(2);
    EXPECT_LT((at - Eigen::Vector3f(from.x(), from.y(), -1)).norm(), 1e-5F);
  }
}

TEST(RayScene, NothingSlipsBetweenTriangles) {
  NEEDS_TRACER();
  const RayScene scene(testing::icosphere(4), 0);
  std::vector<Ray> rays;
  for (int i = 0; i < 20'000; ++i) {
    const float angle = 0.001F * static_cast<float>(i), height = static_cast<float>(i) / 10'000 - 1;
    rays.push_back({Eigen::Vector3f::Zero(), {std::cos(angle), height, std::sin(angle)}});
  }
  EXPECT_EQ(scene.count_blocked(rays), rays.size());
}

TEST(RayScene, ReachEndsARay) {
  NEEDS_TRACER();
  const RayScene scene(testing::icosphere(3), 0);
  const std::vector<Ray> rays = {{{0, 0, 3}, {0, 0, -1}, 1.5F}, {{0, 0, 3}, {0, 0, -1}, 2.5F}, {{0, 0, 3}, {0, 0, 1}}};
  EXPECT_EQ(scene.count_blocked(rays), 1U);
  std::vector<std::uint8_t> blocked(rays.size());
  scene.find_blocked(rays, blocked);
  EXPECT_EQ(blocked, (std::vector<std::uint8_t>{0, 1, 0}));
  std::vector<RayHit> hits(rays.size());
  scene.intersect(rays, hits);
  EXPECT_FALSE(hits[0].hit());
  EXPECT_TRUE(hits[1].hit());
  EXPECT_FALSE(hits[2].hit());
}

TEST(RayScene, ACloudIsMadeOfSpheres) {
  NEEDS_TRACER();
  const RayScene scene({{{0, 0, 0}, {5, 0, 0}}, {}}, 0.25F);
  const std::vector<Ray> rays = {{{0.2F, 0, 3}, {0, 0, -1}}, {{0.3F, 0, 3}, {0, 0, -1}}, {{5, 0.2F, 3}, {0, 0, -1}}};
  std::vector<RayHit> hits(rays.size());
  scene.intersect(rays, hits);
  EXPECT_EQ(hits[0].primitive, 0U);
  EXPECT_NEAR(hits[0].distance, 3 - 0.15, 1e-4);
  EXPECT_FALSE(hits[1].hit());
  EXPECT_EQ(hits[2].primitive, 1U);
}

}  // namespace
}  // namespace p2mpp
