#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "p2mpp/error.h"
#include "p2mpp/metrics.h"
#include "support/test_meshes.h"

namespace p2mpp {
namespace {

/// The unit square in three triangles of areas 1/2, 0 and 1/2, the second half again in four.
TriangleMesh square() {
  return {.vertices = {{0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}, {0.5f, 0.5f, 1}, {0, 0.5f, 1}},
          .triangles = {{0, 1, 2}, {0, 4, 2}, {0, 4, 5}, {5, 4, 3}, {3, 4, 2}}};
}

TEST(SampleSurface, IsUniformByArea) {
  constexpr int kCells = 8, kCount = 64000;
  std::array<int, kCells * kCells> counts{};
  for (const Eigen::Vector3f& point : sample_surface(square(), kCount, 5).points) {
    ASSERT_EQ(point.z(), 1);
    ASSERT_GE(point.head<2>().minCoeff(), 0);
    ASSERT_LE(point.head<2>().maxCoeff(), 1);
    const int row = std::min(kCells - 1, static_cast<int>(point.y() * kCells));
    const int column = std::min(kCells - 1, static_cast<int>(point.x() * kCells));
    ++counts[static_cast<std::size_t>(row) * kCells + static_cast<std::size_t>(column)];
  }
  double chi_squared = 0;
  for (const int count : counts) chi_squared += std::pow(count - 1000, 2) / 1000.0;
  EXPECT_LT(chi_squared, 108);  // 63 degrees of freedom: exceeded once in 3,000 seeds
  EXPECT_GT(chi_squared, 30);
}

TEST(SampleSurface, StaysOnTheSurface) {
  const TriangleMesh mesh = testing::icosahedron();
  const float inner = 0.7946545f;  // the radius of the inscribed sphere
  const PointCloud cloud = sample_surface(mesh, 5000, 6);
  for (std::size_t i = 0; i < cloud.points.size(); ++i) {
    const Eigen::Vector3f& point = cloud.points[i];
    EXPECT_NEAR(cloud.normals.at(i).dot(point), inner, 1e-5F);  // the plane's distance from the middle
    EXPECT_GE(point.norm(), inner - 1e-5f);
    EXPECT_LE(point.norm(), 1 + 1e-6f);
    float highest = 0;  // over the faces' planes: on the surface it is the plane of its own face
    for (const auto& [a, b, c] : mesh.triangles) {
      const Eigen::Vector3f centre = mesh.vertices[static_cast<std::size_t>(a)] +
                                     mesh.vertices[static_cast<std::size_t>(b)] +
                                     mesh.vertices[static_cast<std::size_t>(c)];
      highest = std::max(highest, point.dot(centre.normalized()));
    }
    EXPECT_NEAR(highest, inner, 1e-5f);
  }
}

TEST(SampleSurface, DependsOnTheSeedAlone) {
  const TriangleMesh mesh = testing::icosahedron();
  const Points points = sample_surface(mesh, 100, 7).points;
  EXPECT_EQ(points, sample_surface(mesh, 100, 7).points);
  EXPECT_NE(points, sample_surface(mesh, 100, 8).points);
  const Points more = sample_surface(mesh, 200, 7).points;
  EXPECT_EQ(Points(more.begin(), more.begin() + 100), points);
  EXPECT_TRUE(sample_surface(mesh, 0, 7).points.empty());
}

TEST(SampleSurface,
     GivesTheSamePointsEverywhere) {  // computed apart, from the generator's definition
  const Points points = sample_surface(square(), 6, 7).points;
  const Points expected{{0.907935143f, 0.974650621f, 1}, {0.125728935f, 0.929364204f, 1},
                        {0.792486668f, 0.950355232f, 1}, {0.122127481f, 0.701905608f, 1},
                        {0.859302938f, 0.16783163f, 1},  {0.0110854451f, 0.00634727161f, 1}};
  EXPECT_EQ(points, expected);
}

TEST(SampleSurface, RefusesWhatHasNoAreaAndIndicesOutOfRange) {
  EXPECT_THROW((void)sample_surface({}, 1, 1), InputError);
  TriangleMesh point = square();
  for (Eigen::Vector3f& vertex : point.vertices) vertex.setOnes();
  EXPECT_THROW((void)sample_surface(point, 1, 1), InputError);
  for (const float value : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    TriangleMesh bad = square();
    bad.vertices[2].x() = value;
    EXPECT_THROW((void)sample_surface(bad, 1, 1), InputError);
  }
  for (const std::int32_t index : {-1, 6, std::numeric_limits<std::int32_t>::max()}) {
    TriangleMesh bad = square();
    bad.triangles[3][1] = index;
    EXPECT_THROW((void)sample_surface(bad, 1, 1), InputError);
  }
}

}  // namespace
}  // namespace p2mpp
