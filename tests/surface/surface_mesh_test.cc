#include "surface/surface_mesh.h"

#include <gtest/gtest.h>

#include <random>

#include "fit/self_intersections.h"
#include "geometry/edge_uses.h"

namespace p2mpp {
namespace {

BlockGrid cube() { return {Eigen::Vector3f::Constant(-1), 1.0F / 16, Eigen::Vector3i::Constant(4)}; }

template <class Field>
std::vector<float> decoded_values(const BlockGrid& grid, const Field& field) {
  std::vector<float> values(grid.active() * kBlockVoxels);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = std::clamp(static_cast<float>(field(grid.centre(i))) / grid.voxel(), -1.0F, 1.0F);
  }
  return values;
}

void expect_clean(const TriangleMesh& mesh) {
  EXPECT_TRUE(is_closed(mesh.triangles));
  const MeshStatus status = check_mesh(mesh).status;
  EXPECT_TRUE(status == MeshStatus::kNoError || status == MeshStatus::kNotConnected) << check_mesh(mesh).detail;
  EXPECT_EQ(count_intersecting(mesh.vertices, mesh.triangles), 0U);
  EXPECT_GT(signed_volume(mesh), 0);
}

TEST(SurfaceMeshTest, ABallIsRoundAndHasTheWantedVertices) {
  const BlockGrid grid = cube();
  const auto ball = [](const Eigen::Vector3f& point) { return 0.8F - point.norm(); };
  for (const std::size_t wanted : {500U, 3000U}) {
    const LargeParts surface = surface_mesh(grid, decoded_values(grid, ball), wanted, 2);
    expect_clean(surface.mesh);
    EXPECT_EQ(euler_characteristic(surface.mesh), 2);
    EXPECT_EQ(surface.parts, 1U);
    EXPECT_NEAR(static_cast<double>(surface.mesh.vertices.size()) / static_cast<double>(wanted), 1, 0.08);
    for (const Eigen::Vector3f& vertex : surface.mesh.vertices) EXPECT_NEAR(vertex.norm(), 0.8F, 0.006);
  }
}

// Random solids, thin walls and thin gaps: their triangles are longer than the surfaces are apart.
TEST(SurfaceMeshTest, NoTriangleIntersectsAnother) {
  const BlockGrid grid = cube();
  std::mt19937 random(9);
  std::uniform_real_distribution<float> number(0, 1);
  for (int i = 0; i < 12; ++i) {
    Eigen::Matrix3f waves;
    for (float& wave : waves.reshaped()) wave = 6 * number(random);
    const float thin = 0.02F + 0.05F * number(random);
    const LargeParts surface =
        surface_mesh(grid,
                     decoded_values(grid,
                                    [&](const Eigen::Vector3f& point) {
                                      const float wave = (waves * point).array().sin().sum() / 4;
                                      const float wall = thin - std::fabs(wave);
                                      return std::min(i % 2 == 0 ? wall : -wall, 0.85F - point.norm());
                                    }),
                     1500, 2);
    ASSERT_FALSE(surface.mesh.triangles.empty());
    expect_clean(surface.mesh);
  }
  std::vector<float> noise(grid.active() * kBlockVoxels);
  for (std::size_t i = 0; i < noise.size(); ++i)
    noise[i] = grid.centre(i).norm() < 0.5F ? number(random) - 0.5F : -1.0F;
  expect_clean(surface_mesh(grid, noise, 4000, 2).mesh);
}

TEST(SurfaceMeshTest, SpecksAreDroppedAndPartsAreKept) {
  const BlockGrid grid = cube();
  const auto balls = [](const Eigen::Vector3f& point) {
    const auto ball = [&](float x, float radius) {
      return radius - (point - Eigen::Vector3f(x, 1.0F / 32, 1.0F / 32)).norm();  // voxels' centres
    };
    return std::max({ball(-0.4F, 0.4F), ball(0.5F, 0.2F), ball(29.0F / 32, 0.035F)});
  };
  const LargeParts surface = surface_mesh(grid, decoded_values(grid, balls), 2000, 1);
  expect_clean(surface.mesh);
  EXPECT_EQ(surface.parts, 2U);
  EXPECT_EQ(surface.dropped, 1U);
}

TEST(SurfaceMeshTest, NoSurfaceIsNoMesh) {
  const BlockGrid grid = cube();
  EXPECT_TRUE(surface_mesh(grid, std::vector<float>(grid.active() * kBlockVoxels, -1), 800, 1).mesh.triangles.empty());
}

}  // namespace
}  // namespace p2mpp
