#include "geometry/metric_bounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "base/numbers/random.h"
#include "p2mpp/error.h"
#include "support/test_meshes.h"

namespace p2mpp {
namespace {

struct Clouds {
  Points predicted, truth;
};

Points moved(Points points, std::mt19937_64& generator, float deviation) {
  std::normal_distribution<float> noise(0, deviation);
  for (Eigen::Vector3f& point : points) point += Eigen::Vector3f(noise(generator), noise(generator), noise(generator));
  return points;
}

// Two samples of one sphere of the size of objects, near and far apart, of unequal counts, with repeated points.
Clouds draw_clouds(std::mt19937_64& generator) {
  const TriangleMesh mesh = testing::scaled(testing::icosahedron(), 0.25F);
  const auto count = [&] { return static_cast<std::size_t>(std::pow(10.0, 4.0 * draw_unit(generator))); };
  Clouds clouds{sample_surface(mesh, count(), generator()).points, sample_surface(mesh, count(), generator()).points};
  clouds.predicted = moved(std::move(clouds.predicted), generator, 0.02F * static_cast<float>(draw_unit(generator)));
  const Points copy = clouds.truth;
  clouds.truth.insert(clouds.truth.end(), copy.begin(), copy.begin() + static_cast<std::ptrdiff_t>(copy.size() / 2));
  return clouds;
}

void expect_encloses(const Interval& interval, double value) {
  EXPECT_LE(interval.low, value);
  EXPECT_GE(interval.high, value);
}

TEST(BoundShapes, EncloseTheExactFigures) {
  std::mt19937_64 generator(71);
  for (int round = 0; round < 30; ++round) {
    const Clouds clouds = draw_clouds(generator);
    const ShapeMetrics exact = compare_shapes({clouds.predicted, {}}, {clouds.truth, {}});
    for (const double tolerance : {1.0, 0.2, 0.02}) {
      const MetricBounds bounds =
          bound_shapes(clouds.predicted, clouds.truth, {.tolerance = tolerance, .threads = 1 + round % 3});
      expect_encloses(bounds.chamfer_distance, exact.chamfer_distance);
      expect_encloses(bounds.f1_tau, exact.f1_tau);
      expect_encloses(bounds.f1_2tau, exact.f1_2tau);
      expect_encloses(bounds.hausdorff_90, exact.hausdorff_90);
      EXPECT_LE(bounds.f1_tau.width(), 100 * tolerance);
      EXPECT_LE(bounds.chamfer_distance.width(), tolerance * bounds.chamfer_distance.high);
    }
  }
}

TEST(BoundShapes, LooseBoundsTakeFewCells) {
  TriangleMesh mesh = testing::icosahedron();
  const Points first = sample_surface(mesh, 200'000, 1).points;
  Points second = first;
  for (Eigen::Vector3f& point : second) point.x() += 0.3F;
  const MetricBounds loose = bound_shapes(first, second, {.tolerance = 0.5});
  const MetricBounds tight = bound_shapes(first, second, {.tolerance = 0.1});
  EXPECT_LT(loose.predicted_cells, 20'000U);
  EXPECT_LT(loose.predicted_cells, tight.predicted_cells);
  EXPECT_LT(tight.chamfer_distance.width(), loose.chamfer_distance.width());
}

TEST(BoundShapes, OnePointAndEqualPointsAreExact) {
  const Points one{{0, 0, 0}}, other{{0, 3, 4}}, many(500, one[0]);
  for (const Points& from : {one, many}) {
    const MetricBounds bounds = bound_shapes(from, other);
    EXPECT_NEAR(bounds.chamfer_distance.low, 50, 1e-8);
    EXPECT_NEAR(bounds.chamfer_distance.high, 50, 1e-8);
    EXPECT_EQ(bounds.f1_2tau.high, 0);
    EXPECT_EQ(bounds.predicted_cells, 1U);
  }
  EXPECT_EQ(bound_shapes(one, many).f1_tau.low, 100);
}

TEST(BoundShapes, RefuseWhatCompareShapesRefuses) {
  const Points point{{0, 0, 0}}, bad{{0, 0, 0}, {1, NAN, 1}};
  EXPECT_THROW((void)bound_shapes({}, point), InputError);
  EXPECT_THROW((void)bound_shapes(point, {}), InputError);
  EXPECT_THROW((void)bound_shapes(bad, point), InputError);
  EXPECT_THROW((void)bound_shapes(point, bad), InputError);
}

TEST(CellHierarchy, CellsPartThePointsAndHoldThem) {
  std::mt19937_64 generator(72);
  const Points points = draw_clouds(generator).truth;
  const CellHierarchy hierarchy(points);
  std::size_t before = 0;
  for (const int level : {0, 1, 3, 7, CellHierarchy::kFinestLevel}) {
    const std::vector<Cell> cells = hierarchy.cells(level, 2);
    std::size_t next = 0;
    for (const Cell& cell : cells) {
      EXPECT_EQ(cell.begin, next);
      next = cell.end;
      EXPECT_NE(std::ranges::find(points, cell.representative), points.end());
      EXPECT_LE(cell.radius, 0.87 * std::pow(0.5, level));  // a cell's diagonal, of a cube of side 1/2
    }
    EXPECT_EQ(next, points.size());
    EXPECT_GE(cells.size(), before);
    before = cells.size();
    const std::vector<Cell> again = hierarchy.split(hierarchy.cells(0, 1), level, 1);
    EXPECT_EQ(again.size(), cells.size());
  }
}

}  // namespace
}  // namespace p2mpp
