#include "geometry/similarity.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <limits>
#include <numbers>

#include "p2mpp/error.h"
#include "support/temporary_folder.h"

namespace p2mpp {
namespace {

Similarity drawn(unsigned seed) {
  std::srand(seed);
  return {.scale = 0.1 + 10 * std::abs(Eigen::Vector2d::Random().x()),
          .rotation = Eigen::Quaterniond(Eigen::Vector4d::Random().normalized()).toRotationMatrix(),
          .translation = 5 * Eigen::Vector3d::Random()};
}

TEST(Similarity, ScalesAndTurnsThenMoves) {
  const Similarity similarity{
      .scale = 2,
      .rotation = Eigen::AngleAxisd(std::numbers::pi / 2, Eigen::Vector3d::UnitZ()).toRotationMatrix(),
      .translation = {10, 20, 30}};
  EXPECT_LT((similarity.transformed({1, 2, 3}) - Eigen::Vector3d(10 - 4, 20 + 2, 36)).norm(), 1e-12);
}

TEST(Similarity, InversesLeadBackAndProductsAreOneAfterTheOther) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    const Similarity first = drawn(seed), second = drawn(seed + 100);
    const Eigen::Vector3d point = Eigen::Vector3d::Random();
    const Eigen::Vector3d expected = second.transformed(first.transformed(point));
    EXPECT_LT((compose(second, first).transformed(point) - expected).norm(), 1e-11);
    EXPECT_LT((inverse(first).transformed(first.transformed(point)) - point).norm(), 1e-12);
  }
}

TEST(Similarity, DescribesWhatIsNone) {
  EXPECT_NO_THROW(check_similarity(Similarity()));
  EXPECT_NO_THROW(check_similarity(drawn(1)));
  Similarity bad;
  bad.scale = 0;
  EXPECT_REFUSED(check_similarity(bad), "scale is 0; expected a positive number");
  bad = {};
  bad.rotation(2, 2) = -1;
  EXPECT_REFUSED(check_similarity(bad), "rotation is a reflection: its determinant is -1; expected 1");
  bad = {};
  bad.translation.x() = std::numeric_limits<double>::infinity();
  EXPECT_REFUSED(check_similarity(bad), "translation is not finite; expected three numbers");
}

}  // namespace
}  // namespace p2mpp
