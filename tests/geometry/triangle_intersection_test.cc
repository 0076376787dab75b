#include "geometry/intersection/triangle_intersection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace p2mpp {
namespace {

using WholeNumbers = Eigen::Vector3<std::int64_t>;
using Shape = std::vector<WholeNumbers>;  // a point, a segment or a triangle

std::pair<std::int64_t, std::int64_t> extent(const Shape& shape, const WholeNumbers& axis) {
  std::int64_t low = axis.dot(shape.front()), high = low;
  for (const WholeNumbers& point : shape) {
    low = std::min(low, axis.dot(point));
    high = std::max(high, axis.dot(point));
  }
  return {low, high};
}

/// Convex shapes have a point in common unless there is a plane between them: across a normal, or across both an edge
/// of each, or along a normal and an edge if they are in one plane.
bool have_common_point(const Shape& a, const Shape& b) {
  const auto edges = [](const Shape& shape) {
    std::vector<WholeNumbers> found;
    for (std::size_t i = 0; i < shape.size(); ++i) found.push_back(shape[(i + 1) % shape.size()] - shape[i]);
    return found;
  };
  std::vector<WholeNumbers> axes, normals;
  for (const Shape* shape : {&a, &b}) {
    if (shape->size() == 3) normals.push_back(edges(*shape)[0].cross(edges(*shape)[1]));
  }
  for (const WholeNumbers& normal : normals) {
    axes.push_back(normal);
    for (const WholeNumbers& edge : edges(a)) axes.push_back(normal.cross(edge));
    for (const WholeNumbers& edge : edges(b)) axes.push_back(normal.cross(edge));
  }
  for (const WholeNumbers& one : edges(a)) {
    for (const WholeNumbers& other : edges(b)) axes.push_back(one.cross(other));
  }
  return std::ranges::none_of(axes, [&](const WholeNumbers& axis) {
    const auto [low_a, high_a] = extent(a, axis);
    const auto [low_b, high_b] = extent(b, axis);
    return high_a < low_b || high_b < low_a;
  });
}

Shape drawn_triangle(std::mt19937& random, int side) {
  Shape shape;
  do {
    shape.clear();
    for (int i = 0; i < 3; ++i) {
      const auto number = [&] { return static_cast<std::int64_t>(random() % static_cast<unsigned>(side)); };
      const std::int64_t x = number(), y = number();
      shape.emplace_back(x, y, number());
    }
  } while ((shape[1] - shape[0]).cross(shape[2] - shape[0]).isZero());
  return shape;
}

TriangleCorners placed(const Shape& shape) {
  return {shape[0].cast<float>(), shape[1].cast<float>(), shape[2].cast<float>()};
}

bool intersect_of(const Shape& a, const Shape& b) {
  const auto one_way = [](const Shape& one, const Shape& other) {
    return intersect(placed(one), placed(other),
                     shared_corners([&](std::size_t i, std::size_t j) { return one[i] == other[j]; }));
  };
  EXPECT_EQ(one_way(a, b), one_way(b, a));
  return one_way(a, b);
}

// Corners on a small grid: many triangles are in one plane, touch, or have an edge in another one's plane.
TEST(TriangleIntersectionTest, IsExactForTrianglesWithoutACommonCorner) {
  std::mt19937 random(5);
  int meeting = 0, apart = 0;
  for (int i = 0; i < 20'000; ++i) {
    const Shape a = drawn_triangle(random, 2 + i % 4), b = drawn_triangle(random, 2 + i % 4);
    if (std::ranges::any_of(a, [&](const WholeNumbers& corner) { return std::ranges::count(b, corner) > 0; })) continue;
    const bool expected = have_common_point(a, b);
    EXPECT_EQ(intersect_of(a, b), expected) << i;
    ++(expected ? meeting : apart);
  }
  EXPECT_GT(std::min(meeting, apart), 2000);
}

TEST(TriangleIntersectionTest, BeyondACommonCornerTheSidesAcrossFromItCount) {
  std::mt19937 random(7);
  int meeting = 0, apart = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::size_t k = random() % 3, j = random() % 3;
    Shape a = drawn_triangle(random, 2 + i % 4), b = drawn_triangle(random, 2 + i % 4);
    const WholeNumbers shift = a[k] - b[j];
    for (WholeNumbers& corner : b) corner += shift;
    const auto common = std::ranges::count_if(a, [&](const WholeNumbers& at) { return std::ranges::count(b, at) > 0; });
    if (common > 1) continue;
    const Shape across_a = {a[(k + 1) % 3], a[(k + 2) % 3]}, across_b = {b[(j + 1) % 3], b[(j + 2) % 3]};
    const bool expected = have_common_point(across_a, b) || have_common_point(across_b, a);
    EXPECT_EQ(intersect_of(a, b), expected) << i;
    ++(expected ? meeting : apart);
  }
  EXPECT_GT(std::min(meeting, apart), 1000);
}

TEST(TriangleIntersectionTest, BeyondACommonSideOneLiesOnTheOther) {
  const Shape a = {{0, 0, 0}, {4, 1, 0}, {1, 3, 2}};
  const auto with_apex = [&](const WholeNumbers& apex) { return Shape{a[1], apex, a[0]}; };
  const WholeNumbers along = a[1] - a[0], up = a[2] - a[0], across = along.cross(up);
  EXPECT_TRUE(intersect_of(a, with_apex(3 * up - along)));
  EXPECT_FALSE(intersect_of(a, with_apex(along - up)));
  EXPECT_FALSE(intersect_of(a, with_apex(3 * up + across)));
  EXPECT_FALSE(intersect_of(a, with_apex(2 * along)));  // in their common line
  EXPECT_FALSE(intersect_of(a, {a[1], a[0], a[2]}));
}

TEST(TriangleIntersectionTest, ARoundingErrorApartIsApart) {
  const auto tip_at = [](float height) {
    return TriangleCorners({0.1F, 0.1F, height}, {0.1F, 0.3F, 1}, {0.3F, 0.1F, 1});
  };
  const TriangleCorners flat({0, 0, 0.7F}, {1, 0, 0.7F}, {0, 1, 0.7F});
  EXPECT_FALSE(intersect(flat, tip_at(std::nextafter(0.7F, 1.0F)), {}));
  EXPECT_TRUE(intersect(flat, tip_at(0.7F), {}));
  EXPECT_TRUE(intersect(flat, tip_at(std::nextafter(0.7F, 0.0F)), {}));
}

}  // namespace
}  // namespace p2mpp
