#include "geometry/alignment.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <limits>
#include <random>

#include "p2mpp/error.h"
#include "support/messages.h"

namespace p2mpp {
namespace {

// A box with three different sides and a bump, so that only one rotation near the identity fits.
Points asymmetric_shape(std::mt19937& generator, std::size_t count) {
  std::uniform_real_distribution<float> coordinate(-1, 1);
  Points points;
  for (std::size_t i = 0; i < count; ++i) {
    Eigen::Vector3f point(coordinate(generator), coordinate(generator), coordinate(generator));
    point[static_cast<Eigen::Index>(i % 3)] = point[static_cast<Eigen::Index>(i % 3)] < 0 ? -1.0F : 1.0F;
    point = point.cwiseProduct(Eigen::Vector3f(1, 0.6F, 0.35F));
    if (point.x() > 0.5F && point.y() > 0.2F) point.z() += 0.3F;
    points.push_back(point);
  }
  return points;
}

Points moved(const Points& points, const Similarity& similarity) {
  Points result;
  for (const Eigen::Vector3f& point : points) {
    result.push_back(similarity.transformed(point.cast<double>()).cast<float>());
  }
  return result;
}

TEST(AlignTest, FindsASimilarityBetweenPointsOfOneShape) {
  std::mt19937 generator(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int trial = 0; trial < 5; ++trial) {
    const Points shape = asymmetric_shape(generator, 3000);
    Similarity truth;
    truth.scale = std::exp(uniform(generator));
    truth.rotation = Eigen::AngleAxisd(0.35 * uniform(generator),
                                       Eigen::Vector3d(uniform(generator), uniform(generator), 1).normalized())
                         .toRotationMatrix();
    truth.translation = 10 * Eigen::Vector3d(uniform(generator), uniform(generator), uniform(generator));
    const Alignment found = align(shape, moved(shape, truth));
    EXPECT_NEAR(found.target_from_source.scale, truth.scale, 1e-3 * truth.scale);
    EXPECT_LT((found.target_from_source.rotation - truth.rotation).norm(), 5e-3);
    EXPECT_TRUE(found.target_from_source.rotation.isUnitary(1e-9));
    EXPECT_NEAR(found.target_from_source.rotation.determinant(), 1, 1e-9);
    EXPECT_LT((found.target_from_source.translation - truth.translation).norm(), 5e-3 * truth.scale);
    EXPECT_LT(found.root_mean_square, 2e-3 * truth.scale);
  }
}

TEST(AlignTest, ShapesWithoutExtentAreRefused) {
  const Points shape = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const Points point(5, Eigen::Vector3f(1, 2, 3));
  EXPECT_THROW(static_cast<void>(align(point, shape)), InputError);
  EXPECT_THROW(static_cast<void>(align(shape, point)), InputError);
  EXPECT_THROW(static_cast<void>(align({}, shape)), InputError);
  EXPECT_THROW(static_cast<void>(align(shape, {{0, 0, std::numeric_limits<float>::quiet_NaN()}})), InputError);
}

TEST(DescribeMismatchTest, OtherFramesAndUnitsAreNamed) {
  const Points unit = {{0, 0, 0}, {1, 1, 1}};
  EXPECT_EQ(describe_mismatch(unit, {{0.1F, 0, 0}, {1.1F, 1, 1}}), "");
  EXPECT_EQ(describe_mismatch(unit, {{0, 0, 0}, {1.25F, 1.25F, 1.25F}}), "");
  EXPECT_HOLDS(describe_mismatch(unit, {{0, 0, 0}, {1.35F, 1.35F, 1.35F}}), "0.741 times");
  EXPECT_HOLDS(describe_mismatch(unit, {{0, 0, 0}, {0.7F, 0.7F, 0.7F}}), "1.43 times");
  EXPECT_HOLDS(describe_mismatch(unit, {{0, 0, 1.5F}, {1, 1, 2}}), "do not overlap");
}

}  // namespace
}  // namespace p2mpp
