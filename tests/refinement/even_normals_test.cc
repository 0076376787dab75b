#include "refinement/even_normals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace p2mpp {
namespace {

constexpr int kAcross = 24;  // squares of a side

/// Two halves of a unit square, each kAcross / 2 squares wide, at a right angle along x = 0.5.
TriangleMesh roof() {
  TriangleMesh mesh;
  for (int row = 0; row <= kAcross; ++row) {
    for (int column = 0; column <= kAcross; ++column) {
      const float x = static_cast<float>(column) / kAcross, y = static_cast<float>(row) / kAcross;
      mesh.vertices.emplace_back(x, y, 0.5F - std::fabs(x - 0.5F));
    }
  }
  for (std::int32_t row = 0; row < kAcross; ++row) {
    for (std::int32_t column = 0; column < kAcross; ++column) {
      const std::int32_t at = row * (kAcross + 1) + column;
      mesh.triangles.push_back({at, at + 1, at + kAcross + 2});
      mesh.triangles.push_back({at, at + kAcross + 2, at + kAcross + 1});
    }
  }
  return mesh;
}

/// The largest angle, in degrees, between a triangle and its half of the roof, but for those at the border.
double worst_degrees(const FitSurface& surface, const Points& vertices) {
  double worst = 0;
  for (const auto& [a, b, c] : surface.triangles()) {
    const Eigen::Vector3f &from = vertices[static_cast<std::size_t>(a)], &one = vertices[static_cast<std::size_t>(b)],
                          &other = vertices[static_cast<std::size_t>(c)];
    const Eigen::Vector3f middle = (from + one + other) / 3;
    if (middle.head<2>().minCoeff() < 0.1F || middle.head<2>().maxCoeff() > 0.9F) continue;
    const Eigen::Vector3f exact = Eigen::Vector3f(middle.x() < 0.5F ? -1.0F : 1.0F, 0, 1).normalized();
    const float cosine = (one - from).cross(other - from).normalized().dot(exact);
    worst = std::max(worst, std::acos(std::min(1.0, static_cast<double>(cosine))) * 180 / 3.14159265);
  }
  return worst;
}

TEST(EvenNormals, NoiseGoesAndAnEdgeStays) {
  const TriangleMesh exact = roof();
  const FitSurface surface(exact.vertices.size(), exact.triangles);
  std::mt19937_64 random(5);
  std::normal_distribution<float> noise(0, 0.05F / kAcross);
  Points vertices = exact.vertices;
  for (Eigen::Vector3f& vertex : vertices) vertex.z() += noise(random);
  const double before = worst_degrees(surface, vertices);
  ASSERT_GT(before, 8);
  const std::vector<Eigen::Vector3f> normals = even_normals(surface, vertices, 8);
  for (const Eigen::Vector3f& normal : normals) EXPECT_NEAR(normal.norm(), 1, 1e-5);
  for (int i = 0; i < 20; ++i) vertices = moved_to_normals(surface, vertices, normals);
  EXPECT_LT(worst_degrees(surface, vertices), 0.5 * before);
  EXPECT_NEAR(vertices[kAcross / 2 * (kAcross + 1) + kAcross / 2].z(), 0.5F, 0.1F / kAcross) << "the ridge";
}

TEST(EvenNormals, ExactPlanesStay) {
  const TriangleMesh exact = roof();
  const FitSurface surface(exact.vertices.size(), exact.triangles);
  const Points moved = moved_to_normals(surface, exact.vertices, even_normals(surface, exact.vertices, 8));
  for (std::size_t i = 0; i < moved.size(); ++i) EXPECT_LT((moved[i] - exact.vertices[i]).norm(), 1e-5F) << i;
}

}  // namespace
}  // namespace p2mpp
