#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>
#include <random>

#include "finish/plane_cut.h"
#include "geometry/intersection/triangle_intersection.h"

namespace p2mpp {
namespace {

using Loops = std::vector<std::vector<std::int32_t>>;

struct Outline {
  std::vector<Eigen::Vector2f> points;
  Loops loops;

  /// A loop around a place, through radii that are drawn.
  void add(const Eigen::Vector2f& middle, float least, float most, int corners, bool is_hole, std::mt19937& random) {
    std::uniform_real_distribution<float> radius(least, most);
    std::vector<std::int32_t>& loop = loops.emplace_back();
    for (int i = 0; i < corners; ++i) {
      const float angle =
          (is_hole ? -2 : 2) * std::numbers::pi_v<float> * static_cast<float>(i) / static_cast<float>(corners);
      loop.push_back(static_cast<std::int32_t>(points.size()));
      points.push_back(middle + radius(random) * Eigen::Vector2f(std::cos(angle), std::sin(angle)));
    }
  }

  [[nodiscard]] double area() const {
    double sum = 0;
    for (const auto& loop : loops) {
      for (std::size_t i = 0; i < loop.size(); ++i) sum += cross(loop[i], loop[(i + 1) % loop.size()]) / 2;
    }
    return sum;
  }
  [[nodiscard]] double cross(std::int32_t a, std::int32_t b) const {
    const Eigen::Vector2d p = at(a).cast<double>(), q = at(b).cast<double>();
    return p.x() * q.y() - p.y() * q.x();
  }
  [[nodiscard]] const Eigen::Vector2f& at(std::int32_t i) const { return points[static_cast<std::size_t>(i)]; }
};

/// The triangles turn left, have the loops as their border and cover their area: so they overlap nowhere.
void expect_covered(const Outline& outline) {
  const auto found = triangles_of_loops(outline.points, outline.loops);
  ASSERT_TRUE(found);
  std::map<std::pair<std::int32_t, std::int32_t>, int> sides;
  double area = 0;
  for (const auto& [a, b, c] : *found) {
    EXPECT_GT(orientation(outline.at(a), outline.at(b), outline.at(c)), 0);
    area += (outline.cross(a, b) + outline.cross(b, c) + outline.cross(c, a)) / 2;
    for (const auto& side : {std::pair(a, b), {b, c}, {c, a}}) EXPECT_EQ(++sides[side], 1);
  }
  EXPECT_NEAR(area, outline.area(), 1e-4 * std::fabs(area));
  for (const auto& loop : outline.loops) {
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const std::pair border(loop[i], loop[(i + 1) % loop.size()]);
      EXPECT_EQ(sides.count(border), 1U);
      EXPECT_EQ(sides.count({border.second, border.first}), 0U);
    }
  }
}

TEST(PlaneCap, LoopsWithHolesAreCovered) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 30; ++trial) {
    Outline outline;
    outline.add({0, 0}, 8, 20, 120, false, random);
    outline.add({-3, 0}, 0.5F, 2, 17, true, random);
    outline.add({3, 1}, 0.5F, 2.5F, 40, true, random);
    outline.add({3, 1}, 0.1F, 0.4F, 9, false, random);  // an island in the hole
    outline.add({40, 0}, 1, 9, 31, false, random);
    expect_covered(outline);
  }
}

TEST(PlaneCap, CornersOnAStraightSideAreKept) {
  Outline outline;
  std::vector<std::int32_t>& loop = outline.loops.emplace_back();
  const auto add = [&](float x, float y) {
    loop.push_back(static_cast<std::int32_t>(outline.points.size()));
    outline.points.emplace_back(x, y);
  };
  for (int i = 0; i < 5; ++i) add(static_cast<float>(i), 0);
  for (int i = 0; i < 5; ++i) add(5, static_cast<float>(i));
  for (int i = 5; i > 0; --i) add(static_cast<float>(i), 5);
  for (int i = 5; i > 0; --i) add(0, static_cast<float>(i));
  outline.loops.push_back({20, 21, 22, 23});  // a square hole whose sides are in line with corners
  for (const auto& [x, y] : {std::pair(2, 2), {2, 3}, {3, 3}, {3, 2}}) {
    outline.points.emplace_back(static_cast<float>(x), static_cast<float>(y));
  }
  expect_covered(outline);
}

TEST(PlaneCap, WhatIsNoOutlineIsRefused) {
  const std::vector<Eigen::Vector2f> points = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {5, 5}, {5, 6}, {6, 6}};
  EXPECT_FALSE(triangles_of_loops(points, {{0, 2, 1, 3}})) << "it crosses itself";
  EXPECT_FALSE(triangles_of_loops(points, {{0, 1, 2, 3}, {4, 5, 6}})) << "a hole outside";
  EXPECT_FALSE(triangles_of_loops(points, {{0, 1}}));
}

}  // namespace
}  // namespace p2mpp
