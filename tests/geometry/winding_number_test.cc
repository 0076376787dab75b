#include "geometry/distances/winding_number.h"

#include <gtest/gtest.h>

#include <random>

#include "support/test_meshes.h"

namespace p2mpp {
namespace {

Eigen::Vector3f drawn_point(std::mt19937& random) {
  std::uniform_real_distribution<float> place(-1.6F, 1.6F);
  return {place(random), place(random), place(random)};
}

TEST(WindingNumberTest, ASphereWindsOnceAroundItsInside) {
  const WindingNumber winding(testing::icosphere(4));
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    const Eigen::Vector3f point = drawn_point(random);
    if (std::fabs(point.norm() - 1) < 0.02F) continue;
    EXPECT_NEAR(winding.at(point), point.norm() < 1 ? 1 : 0, 0.05) << point.transpose();
  }
}

TEST(WindingNumberTest, WhereSpheresOverlapTheyAddUp) {
  TriangleMesh mesh = testing::icosphere(3);
  const auto count = static_cast<std::int32_t>(mesh.vertices.size());
  for (std::int32_t i = 0; i < count; ++i)
    mesh.vertices.emplace_back(mesh.vertices[static_cast<std::size_t>(i)] + Eigen::Vector3f::UnitX());
  const std::size_t triangles = mesh.triangles.size();
  for (std::size_t i = 0; i < triangles; ++i) {
    const auto [a, b, c] = mesh.triangles[i];
    mesh.triangles.push_back({a + count, b + count, c + count});
  }
  const WindingNumber winding(mesh);
  EXPECT_NEAR(winding.at({0.5F, 0, 0}), 2, 0.05);
  EXPECT_NEAR(winding.at({-0.5F, 0, 0}), 1, 0.05);
  EXPECT_NEAR(winding.at({1.5F, 0, 0}), 1, 0.05);
  EXPECT_NEAR(winding.at({2.5F, 0, 0}), 0, 0.05);
}

TEST(WindingNumberTest, NoTriangleWindsAroundNothing) { EXPECT_EQ(WindingNumber({}).at({0, 0, 0}), 0); }

}  // namespace
}  // namespace p2mpp
