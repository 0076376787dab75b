#include "geometry/foreign/placed_points.h"

#include <gtest/gtest.h>

#include <random>

namespace p2mpp {
namespace {

std::vector<Eigen::Vector3d> cloud_around(const Eigen::Vector3d& middle, double extent) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> coordinate(-extent / 2, extent / 2);
  std::vector<Eigen::Vector3d> points(100);
  for (Eigen::Vector3d& point : points) {
    point = middle + Eigen::Vector3d(coordinate(random), coordinate(random), coordinate(random));
  }
  return points;
}

TEST(Placed, UsualPointsAreFloatsFromZero) {
  for (const double extent : {1e-6, 1.0, 1e6}) {
    const std::vector<Eigen::Vector3d> points = cloud_around({-extent, 5 * extent, 0}, extent);
    const PlacedPoints result = placed(points);
    EXPECT_TRUE(result.origin.isZero(0));
    for (std::size_t i = 0; i < points.size(); ++i) EXPECT_EQ(result.points[i], points[i].cast<float>());
  }
  EXPECT_TRUE(placed(std::vector<Eigen::Vector3d>{{0.1, 0.2, 1e7 + 0.3}}).origin.isZero(0)) << "no extent";
  EXPECT_TRUE(placed({}).points.empty());
}

TEST(Placed, FloatsStayFloats) {
  std::vector<Eigen::Vector3d> points = cloud_around({500'000, 4'500'000, 140}, 10);
  for (Eigen::Vector3d& point : points) point = point.cast<float>().cast<double>();
  EXPECT_TRUE(placed(points).origin.isZero(0)) << "no digits are there to be lost";
  points = {{0.800000012, -0.800000072, 0}, {0.800000191, -0.800000131, 0}};  // floats written with nine digits
  const PlacedPoints result = placed(points);
  EXPECT_TRUE(result.origin.isZero(0)) << "though they are close together";
  EXPECT_EQ(result.points[1], points[1].cast<float>());
}

TEST(Placed, PointsFarFromZeroKeepTheirDigits) {
  const std::vector<Eigen::Vector3d> points = cloud_around({500'000.1, 4'500'000.2, 140.3}, 10);
  const PlacedPoints result = placed(points);
  EXPECT_FALSE(result.origin.isZero());
  TriangleMesh mesh{.vertices = result.points, .triangles = {}, .origin = result.origin};
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_LT((placed_vertex(mesh, i) - points[i]).norm(), 1e-6);
    EXPECT_LT(result.points[i].norm(), 30);
  }
  const Eigen::Vector3d other = result.origin + Eigen::Vector3d(1, -2, 3);
  set_origin(mesh, other);
  EXPECT_EQ(mesh.origin, other);
  for (std::size_t i = 0; i < points.size(); ++i) EXPECT_LT((placed_vertex(mesh, i) - points[i]).norm(), 2e-6);
}

}  // namespace
}  // namespace p2mpp
