#include "geometry/foreign/polygons.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "p2mpp/error.h"
#include "support/temporary_folder.h"

namespace p2mpp {
namespace {

using Polygon = std::vector<Eigen::Vector3d>;

std::vector<CornerTriangle> cut(const Polygon& polygon) {
  std::vector<CornerTriangle> triangles;
  append_polygon(polygon, triangles);
  return triangles;
}

Eigen::Vector3d area(const Polygon& polygon, const CornerTriangle& triangle) {
  const Eigen::Vector3d &a = polygon[triangle[0]], &b = polygon[triangle[1]], &c = polygon[triangle[2]];
  return (b - a).cross(c - a) / 2;
}

/// The triangles cover the polygon once: all are wound alike, and their areas add up to its own.
void expect_covered(const Polygon& polygon, double expected_area) {
  const std::vector<CornerTriangle> triangles = cut(polygon);
  EXPECT_EQ(triangles.size(), polygon.size() - 2);
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  double total = 0;
  for (const CornerTriangle& triangle : triangles) {
    sum += area(polygon, triangle);
    total += area(polygon, triangle).norm();
  }
  EXPECT_NEAR(sum.norm(), expected_area, 1e-9 * expected_area);
  EXPECT_NEAR(total, expected_area, 1e-9 * expected_area);
}

Polygon turned(Polygon polygon) {
  const Eigen::Matrix3d turn = Eigen::AngleAxisd(1, Eigen::Vector3d(1, 2, -3).normalized()).toRotationMatrix();
  for (Eigen::Vector3d& corner : polygon) corner = turn * corner + Eigen::Vector3d(5e5, 4e6, 100);
  return polygon;
}

TEST(AppendPolygon, CutsConvexOnesIntoAFan) {
  EXPECT_EQ(cut({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}), (std::vector<CornerTriangle>{{0, 1, 2}, {0, 2, 3}}));
  Polygon circle;
  for (int i = 0; i < 1500; ++i) {
    const double angle = 2 * std::numbers::pi * i / 1500;
    circle.emplace_back(std::cos(angle), std::sin(angle), 0);
  }
  EXPECT_EQ(cut(circle).back(), (CornerTriangle{0, 1498, 1499}));
}

TEST(AppendPolygon, KeepsConcaveOnesInside) {
  const Polygon arrow = {{0, 0, 0}, {2, 1, 0}, {0, 2, 0}, {1, 1, 0}};
  expect_covered(arrow, 1);
  const Polygon reversed(arrow.rbegin(), arrow.rend());
  expect_covered(reversed, 1);
  const Polygon letter = {{0, 0, 0}, {3, 0, 0}, {3, 1, 0}, {1, 1, 0}, {1, 2, 0}, {3, 2, 0}, {3, 3, 0}, {0, 3, 0}};
  expect_covered(letter, 7);
  Polygon star;
  for (int i = 0; i < 40; ++i) {
    const double angle = 2 * std::numbers::pi * i / 40, radius = i % 2 == 0 ? 1 : 0.3;
    star.emplace_back(radius * std::cos(angle), radius * std::sin(angle), 0);
  }
  expect_covered(star, 40 * 0.5 * 0.3 * std::sin(2 * std::numbers::pi / 40));
}

TEST(AppendPolygon, GoesByTheirOwnPlaneAndAroundAHoleWithABridge) {
  const std::vector<CornerTriangle> flat = cut({{0, 0, 0}, {2, 1, 0}, {0, 2, 0}, {1, 1, 0}});
  EXPECT_EQ(cut(turned({{0, 0, 0}, {2, 1, 0}, {0, 2, 0}, {1, 1, 0}})), flat);
  expect_covered(
      {{0, 0, 0}, {4, 0, 0}, {4, 4, 0}, {0, 4, 0}, {0, 0, 0}, {1, 1, 0}, {1, 3, 0}, {3, 3, 0}, {3, 1, 0}, {1, 1, 0}},
      12);
}

TEST(AppendPolygon, EndsForWhatIsNoPolygon) {
  EXPECT_EQ(cut(Polygon(6, {1, 2, 3})).size(), 4U);
  EXPECT_EQ(cut({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}}).size(), 2U);
  EXPECT_EQ(cut({{0, 0, 0}, {2, 2, 0}, {2, 0, 0}, {0, 2, 0}, {1, 5, 0}}).size(), 3U);
  Polygon comb;
  for (int i = 0; i < 1001; ++i) comb.emplace_back(i, i % 2, 0);
  EXPECT_REFUSED(cut(comb), "a concave face with 1001 corners; expected at most 1000");
}

}  // namespace
}  // namespace p2mpp
