#include "p2mpp/metrics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "geometry/not_finite.h"
#include "p2mpp/error.h"
#include "support/messages.h"

namespace p2mpp {
namespace {

using testing::kInfinity;
using testing::kNan;

struct Layout {
  std::string name;
  std::function<Eigen::Vector3f(std::mt19937_64&)> draw;
};

Eigen::Vector3f uniform_point(std::mt19937_64& generator) {
  std::uniform_real_distribution<float> coordinate(-0.5f, 0.5f);
  return {coordinate(generator), coordinate(generator), coordinate(generator)};
}

Eigen::Vector3f clustered_point(std::mt19937_64& generator) {
  const Eigen::Vector3f point = uniform_point(generator);
  return {std::round(point.x()) + 0.01f * point.y(), 0.01f * point.z(), 0.3f};
}

/// Few places: many duplicates and many equal distances.
Eigen::Vector3f grid_point(std::mt19937_64& generator) { return (3 * uniform_point(generator)).array().round(); }

Eigen::Vector3f line_point(std::mt19937_64& generator) { return {uniform_point(generator).x(), 0, 0}; }

Points random_points(const Layout& layout, std::size_t count, std::mt19937_64& generator) {
  Points points;
  for (std::size_t i = 0; i < count; ++i) points.push_back(layout.draw(generator));
  return points;
}

std::vector<double> brute_force(const Points& queries, const Points& targets) {
  std::vector<double> distances;
  for (const Eigen::Vector3f& query : queries) {
    double best = std::numeric_limits<double>::infinity();
    for (const Eigen::Vector3f& target : targets) {
      best = std::min(best, (query.cast<double>() - target.cast<double>()).squaredNorm());
    }
    distances.push_back(best);
  }
  return distances;
}

class NearestNeighbours : public ::testing::TestWithParam<Layout> {};

TEST_P(NearestNeighbours, AreThoseOfBruteForce) {
  std::mt19937_64 generator(61);
  for (const std::size_t count : {1, 2, 9, 10, 11, 100, 1000}) {
    const Points queries = random_points(GetParam(), 300, generator);
    const Points targets = random_points(GetParam(), count, generator);
    const auto expected = brute_force(queries, targets);
    for (const int threads : {1, 3}) {
      const Neighbours found = nearest_neighbours(queries, targets, threads);
      ASSERT_EQ(found.squared_distances.size(), expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_DOUBLE_EQ(found.squared_distances[i], expected[i]);
        const Eigen::Vector3d way = queries[i].cast<double>() - targets.at(found.indices[i]).cast<double>();
        EXPECT_DOUBLE_EQ(way.squaredNorm(), expected[i]);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Layouts, NearestNeighbours,
                         ::testing::Values(Layout{"Uniform", uniform_point}, Layout{"Clustered", clustered_point},
                                           Layout{"Grid", grid_point}, Layout{"OnALine", line_point}),
                         [](const auto& test) { return test.param.name; });

TEST(NearestNeighbours, HandleCoincidentTargetsAndNone) {
  for (const float sign : {1.0f, -1.0f, 0.0f}) {
    const Eigen::Vector3f place = sign * Eigen::Vector3f(1, 2, 3);
    const Points same(1000, place);
    const Points queries{place, place + Eigen::Vector3f(0, 0, 2)};
    EXPECT_EQ(nearest_neighbours(queries, same).squared_distances, (std::vector<double>{0, 4}));
  }
  EXPECT_TRUE(nearest_neighbours({}, Points{{1, 2, 3}}).indices.empty());
}

TEST(NearestNeighbours, DoNotOverflow) {
  constexpr float kHuge = std::numeric_limits<float>::max();
  const Points corners{{kHuge, kHuge, kHuge}, {-kHuge, -kHuge, -kHuge}};
  const Points many(50, corners[1]);
  const double side = 2.0 * double{kHuge};
  EXPECT_DOUBLE_EQ(nearest_neighbours({&corners[0], 1}, many).squared_distances.front(), 3 * side * side);
}

TEST(CompareShapes, IsSymmetricButForPrecisionAndRecall) {
  std::mt19937_64 generator(63);
  for (int round = 0; round < 20; ++round) {
    const Points a = random_points({"", clustered_point}, 1 + generator() % 400, generator);
    const Points b = random_points({"", clustered_point}, 1 + generator() % 400, generator);
    const ShapeMetrics forth = compare_shapes({a, {}}, {b, {}}), back = compare_shapes({b, {}}, {a, {}});
    EXPECT_DOUBLE_EQ(forth.chamfer_distance, back.chamfer_distance);
    EXPECT_EQ(forth.f1_tau, back.f1_tau);
    EXPECT_EQ(forth.f1_2tau, back.f1_2tau);
    EXPECT_EQ(forth.precision_tau, back.recall_tau);
    EXPECT_EQ(forth.recall_2tau, back.precision_2tau);
    EXPECT_EQ(forth.hausdorff_90, back.hausdorff_90);
  }
}

TEST(CompareShapes, IsWhatTheDefinitionSays) {
  // Squared distances: predicted->truth 0, 1e-4 - a little, 1.5e-4, 1; truth->predicted 0, 1.
  const Points truth{{0, 0, 0}, {2, 0, 0}};
  const Points predicted{{0, 0, 0}, {0, 0.0099f, 0}, {0, 0, 0.0122f}, {1, 0, 0}};
  const ShapeMetrics metrics = compare_shapes({predicted, {}}, {truth, {}});
  const double near = std::pow(double{0.0099f}, 2), far = std::pow(double{0.0122f}, 2);
  EXPECT_DOUBLE_EQ(metrics.chamfer_distance, (near + far + 1) / 4 + 0.5);
  EXPECT_DOUBLE_EQ(metrics.precision_tau, 50);
  EXPECT_DOUBLE_EQ(metrics.recall_tau, 50);
  EXPECT_DOUBLE_EQ(metrics.f1_tau, 50);
  EXPECT_DOUBLE_EQ(metrics.precision_2tau, 75);
  EXPECT_DOUBLE_EQ(metrics.recall_2tau, 50);
  EXPECT_DOUBLE_EQ(metrics.f1_2tau, 60);
  const ShapeMetrics none = compare_shapes({{{0, 0, 0}}, {}}, {{{0, 3, 4}}, {}});
  EXPECT_EQ(none.chamfer_distance, 50);
  EXPECT_EQ(none.f1_tau + none.f1_2tau, 0);
  const ShapeMetrics equal = compare_shapes({predicted, {}}, {predicted, {}});
  EXPECT_EQ(equal.chamfer_distance, 0);
  EXPECT_EQ(equal.f1_tau + equal.f1_2tau, 200);
}

TEST(CompareShapes, HausdorffLeavesATenthOut) {
  // numpy.quantile(range(11), 0.9) is 9, of 0 to 10 and 20 it is 9.9; the way back is shorter.
  Points line;
  for (int i = 0; i <= 10; ++i) line.emplace_back(0.0F, 0.0F, static_cast<float>(i));
  EXPECT_DOUBLE_EQ(compare_shapes({line, {}}, {{{0, 0, 0}}, {}}).hausdorff_90, 9);
  line.emplace_back(0.0F, 0.0F, 20.0F);
  EXPECT_DOUBLE_EQ(compare_shapes({line, {}}, {{{0, 0, 0}}, {}}).hausdorff_90, 9.9);
  EXPECT_DOUBLE_EQ(compare_shapes({{{0, 0, 0}}, {}}, {line, {}}).hausdorff_90, 9.9);
  EXPECT_DOUBLE_EQ(compare_shapes({{{0, 0, 0}}, {}}, {{{0, 3, 4}}, {}}).hausdorff_90, 5);
}

TEST(CompareShapes, NormalsMeetWhicheverWayTheyPoint) {
  const Eigen::Vector3f x = Eigen::Vector3f::UnitX(), y = Eigen::Vector3f::UnitY();
  const Points places{{0, 0, 0}, {1, 0, 0}};
  const PointCloud bare{places, {}}, first{places, {x, y}}, turned{places, {-x, -y}}, other{places, {y, y}};
  EXPECT_EQ(compare_shapes(first, first).normal_consistency, 1);
  EXPECT_EQ(compare_shapes(first, turned).normal_consistency, 1);
  EXPECT_EQ(compare_shapes(first, other).normal_consistency, 0.5);
  EXPECT_TRUE(std::isnan(compare_shapes(first, bare).normal_consistency));
  EXPECT_TRUE(std::isnan(compare_shapes(bare, first).normal_consistency));
  // Of three points, two have x for their nearest: (1 + 1 + 0) / 3 one way, 1 the other.
  const PointCloud three{{{0, 0, 0}, {0, 0.1F, 0}, {0, 0, 0.1F}}, {x, -x, y}}, one{{{0, 0, 0}}, {x}};
  EXPECT_DOUBLE_EQ(compare_shapes(three, one).normal_consistency, (2.0 / 3 + 1) / 2);
}

TEST(CompareShapes, SamplingEstimatesAndIsSeeded) {
  std::mt19937_64 generator(64);
  const PointCloud a{random_points({"", uniform_point}, 20000, generator), {}};
  const PointCloud b{random_points({"", uniform_point}, 15000, generator), {}};
  const ShapeMetrics exact = compare_shapes(a, b, {.threads = 2});
  const ShapeMetrics first = compare_shapes(a, b, {.sampled = 4000, .seed = 3});
  EXPECT_NEAR(first.chamfer_distance / exact.chamfer_distance, 1, 0.05);
  EXPECT_NEAR(first.f1_tau, exact.f1_tau, 3);
  EXPECT_NE(first.chamfer_distance, exact.chamfer_distance);
  EXPECT_EQ(first.chamfer_distance, compare_shapes(a, b, {.threads = 3, .sampled = 4000, .seed = 3}).chamfer_distance);
  EXPECT_NE(first.chamfer_distance, compare_shapes(a, b, {.sampled = 4000, .seed = 4}).chamfer_distance);
  EXPECT_EQ(exact.chamfer_distance, compare_shapes(a, b, {.sampled = 20000}).chamfer_distance);
}

TEST(VertexCloud, HasTheNormalsOfTheMeshOrOfItsTriangles) {
  const TriangleMesh corner{.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 2}, {5, 5, 5}},
                            .triangles = {{0, 1, 2}, {0, 3, 1}}};
  const PointCloud cloud = vertex_cloud(corner);
  EXPECT_EQ(cloud.points, corner.vertices);
  ASSERT_EQ(cloud.normals.size(), 5U);
  EXPECT_EQ(cloud.normals[2], Eigen::Vector3f(0, 0, 1));
  EXPECT_EQ(cloud.normals[3], Eigen::Vector3f(0, 1, 0));
  EXPECT_TRUE(cloud.normals[0].isApprox(Eigen::Vector3f(0, 2, 1).normalized()));  // the larger triangle counts twice
  EXPECT_EQ(cloud.normals[4], Eigen::Vector3f::Zero());
  TriangleMesh own = corner;
  own.normals.assign(5, Eigen::Vector3f::UnitX());
  EXPECT_EQ(vertex_cloud(own).normals, own.normals);
  own.triangles.clear();
  own.normals.clear();
  EXPECT_TRUE(vertex_cloud(own).normals.empty());
}

TEST(CompareShapes, RefusesNothingAndNonFinitePoints) {
  const Points point{{0, 0, 0}};
  EXPECT_THROW((void)compare_shapes({}, {point, {}}), InputError);
  EXPECT_THROW((void)compare_shapes({point, {}}, {}), InputError);
  for (const float value : {kNan, kInfinity, -kInfinity}) {
    const Points bad{{0, 0, 0}, {1, value, 1}};
    EXPECT_THROW((void)compare_shapes({bad, {}}, {point, {}}), InputError);
    EXPECT_THROW((void)compare_shapes({point, {}}, {bad, {}}), InputError);
  }
  const PointCloud infinite{{{0, 0, 0}, {1, kInfinity, 2}}, {}};
  EXPECT_REFUSED(compare_shapes({point, {}}, infinite),
                 "true point 2, counted from 1, is (1, inf, 2); expected finite coordinates");
}

}  // namespace
}  // namespace p2mpp
