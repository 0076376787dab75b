#include "p2mpp/metrics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

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

class NearestSquaredDistances : public ::testing::TestWithParam<Layout> {};

TEST_P(NearestSquaredDistances, AreThoseOfBruteForce) {
  std::mt19937_64 generator(61);
  for (const std::size_t count : {1, 2, 9, 10, 11, 100, 1000}) {
    const Points queries = random_points(GetParam(), 300, generator);
    const Points targets = random_points(GetParam(), count, generator);
    const auto expected = brute_force(queries, targets);
    const auto distances = nearest_squared_distances(queries, targets);
    ASSERT_EQ(distances.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_DOUBLE_EQ(distances[i], expected[i]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Layouts, NearestSquaredDistances,
                         ::testing::Values(Layout{"Uniform", uniform_point}, Layout{"Clustered", clustered_point},
                                           Layout{"Grid", grid_point}, Layout{"OnALine", line_point}),
                         [](const auto& test) { return test.param.name; });

TEST(NearestSquaredDistances, HandleCoincidentTargets) {
  for (const float sign : {1.0f, -1.0f, 0.0f}) {
    const Eigen::Vector3f place = sign * Eigen::Vector3f(1, 2, 3);
    const Points same(1000, place);
    const Points queries{place, place + Eigen::Vector3f(0, 0, 2)};
    EXPECT_EQ(nearest_squared_distances(queries, same), (std::vector<double>{0, 4}));
  }
}

TEST(NearestSquaredDistances, OfNothingAreNone) {
  EXPECT_TRUE(nearest_squared_distances({}, Points{{1, 2, 3}}).empty());
}

TEST(NearestSquaredDistances, DoNotOverflow) {
  constexpr float kHuge = std::numeric_limits<float>::max();
  const Points corners{{kHuge, kHuge, kHuge}, {-kHuge, -kHuge, -kHuge}};
  const Points many(50, corners[1]);
  const double side = 2.0 * double{kHuge};
  EXPECT_DOUBLE_EQ(nearest_squared_distances({&corners[0], 1}, many).front(), 3 * side * side);
}

TEST(CompareShapes, FindsEqualSetsEqual) {
  std::mt19937_64 generator(62);
  const Points points = random_points({"", uniform_point}, 500, generator);
  const ShapeMetrics metrics = compare_shapes(points, points);
  EXPECT_EQ(metrics.chamfer_distance, 0);
  EXPECT_EQ(metrics.f1_tau, 100);
  EXPECT_EQ(metrics.f1_2tau, 100);
}

TEST(CompareShapes, IsSymmetricButForPrecisionAndRecall) {
  std::mt19937_64 generator(63);
  for (int round = 0; round < 20; ++round) {
    const Points a = random_points({"", clustered_point}, 1 + generator() % 400, generator);
    const Points b = random_points({"", clustered_point}, 1 + generator() % 400, generator);
    const ShapeMetrics forth = compare_shapes(a, b), back = compare_shapes(b, a);
    EXPECT_DOUBLE_EQ(forth.chamfer_distance, back.chamfer_distance);
    EXPECT_EQ(forth.f1_tau, back.f1_tau);
    EXPECT_EQ(forth.f1_2tau, back.f1_2tau);
    EXPECT_EQ(forth.precision_tau, back.recall_tau);
    EXPECT_EQ(forth.recall_2tau, back.precision_2tau);
  }
}

TEST(CompareShapes, IsWhatTheDefinitionSays) {
  // Squared distances: predicted->truth 0, 1e-4 - a little, 1.5e-4, 1; truth->predicted 0, 1.
  const Points truth{{0, 0, 0}, {2, 0, 0}};
  const Points predicted{{0, 0, 0}, {0, 0.0099f, 0}, {0, 0, 0.0122f}, {1, 0, 0}};
  const ShapeMetrics metrics = compare_shapes(predicted, truth);
  const double near = std::pow(double{0.0099f}, 2), far = std::pow(double{0.0122f}, 2);
  EXPECT_DOUBLE_EQ(metrics.chamfer_distance, (near + far + 1) / 4 + 0.5);
  EXPECT_DOUBLE_EQ(metrics.precision_tau, 50);
  EXPECT_DOUBLE_EQ(metrics.recall_tau, 50);
  EXPECT_DOUBLE_EQ(metrics.f1_tau, 50);
  EXPECT_DOUBLE_EQ(metrics.precision_2tau, 75);
  EXPECT_DOUBLE_EQ(metrics.recall_2tau, 50);
  EXPECT_DOUBLE_EQ(metrics.f1_2tau, 60);
}

TEST(CompareShapes, HasNoF1WhereNothingIsFound) {
  const ShapeMetrics metrics = compare_shapes(Points{{0, 0, 0}}, Points{{0, 3, 4}});
  EXPECT_EQ(metrics.chamfer_distance, 50);
  EXPECT_EQ(metrics.f1_tau, 0);
  EXPECT_EQ(metrics.f1_2tau, 0);
}

TEST(CompareShapes, RefusesNothingAndNonFinitePoints) {
  const Points point{{0, 0, 0}};
  EXPECT_THROW((void)compare_shapes({}, point), InputError);
  EXPECT_THROW((void)compare_shapes(point, {}), InputError);
  for (const float value : {kNan, kInfinity, -kInfinity}) {
    const Points bad{{0, 0, 0}, {1, value, 1}};
    EXPECT_THROW((void)compare_shapes(bad, point), InputError);
    EXPECT_THROW((void)compare_shapes(point, bad), InputError);
  }
  try {
    (void)compare_shapes(point, Points{{0, 0, 0}, {1, kInfinity, 2}});
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "true point 2, counted from 1, is (1, inf, 2); expected finite coordinates");
  }
}

}  // namespace
}  // namespace p2mpp
