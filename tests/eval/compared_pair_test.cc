#include <gtest/gtest.h>

#include "eval/scored_predictions.h"
#include "p2mpp/error.h"
#include "support/messages.h"

namespace p2mpp {
namespace {

const TriangleMesh kShape{{{0, 0, 0}, {1, 0, 0}, {0, 0.5F, 0}, {0, 0, 0.25F}},
                          {{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}},
                          {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

TEST(PlaceTest, ByDefaultNothingChanges) {
  const ComparedPair pair = align_pair(kShape, kShape, {}, 1);
  EXPECT_EQ(pair.predicted.vertices, kShape.vertices);
  EXPECT_EQ(pair.truth.vertices, kShape.vertices);
  EXPECT_EQ(pair.warnings.size(), 1U) << "of the size";
  EXPECT_FALSE(pair.alignment);
}

TEST(PlaceTest, TheTruthOfShapeNetIsScaledAndSeenFromTheCamera) {
  const Camera camera = camera_from_row({.azimuth_deg = 40, .elevation_deg = 25, .distance = 0.8F});
  const ComparedPair pair = align_pair(kShape, kShape, {.truth_scale = 0.57, .truth_camera = camera}, 1);
  for (std::size_t i = 0; i < kShape.vertices.size(); ++i) {
    const Eigen::Vector3d expected = camera.cam_from_world(0.57 * kShape.vertices[i].cast<double>());
    EXPECT_LT((pair.truth.vertices[i].cast<double>() - expected).norm(), 1e-6);
    EXPECT_LT((pair.truth.normals[i].cast<double>() - camera.rotation * kShape.normals[i].cast<double>()).norm(), 1e-6);
  }
  EXPECT_EQ(pair.predicted.vertices, kShape.vertices);
  EXPECT_HOLDS(pair.warnings.front(), "frames or units");
}

TEST(PlaceTest, AlignedShapesCoincide) {
  TriangleMesh predicted = kShape;
  for (Eigen::Vector3f& vertex : predicted.vertices) vertex = 3 * vertex + Eigen::Vector3f(5, 6, 7);
  const ComparedPair pair = align_pair(predicted, kShape, {.truth_scale = 1, .truth_camera = {}, .align = true}, 1);
  ASSERT_TRUE(pair.alignment);
  EXPECT_NEAR(pair.alignment->target_from_source.scale, 1.0 / 3, 1e-6);
  for (std::size_t i = 0; i < kShape.vertices.size(); ++i) {
    EXPECT_LT((pair.predicted.vertices[i] - kShape.vertices[i]).norm(), 1e-5F);
  }
  ASSERT_EQ(pair.warnings.size(), 2U);
  EXPECT_HOLDS(pair.warnings[0], "do not overlap") << "before they were aligned";
}

// Map coordinates: the files' vertices are around origins of their own.
TEST(PlaceTest, FarFromZeroNoDigitsAreLost) {
  TriangleMesh truth = kShape, predicted = kShape;
  truth.origin = {500'000, 4'500'000, 140};
  predicted.origin = {500'001, 4'500'000, 139};
  for (Eigen::Vector3f& vertex : predicted.vertices) vertex += Eigen::Vector3f(-1, 0.001F, 1);
  const ComparedPair pair = align_pair(predicted, truth, {}, 1);
  EXPECT_EQ(pair.warnings.size(), 1U) << "of the size";
  for (std::size_t i = 0; i < kShape.vertices.size(); ++i) {
    EXPECT_LT((pair.predicted.vertices[i] - pair.truth.vertices[i] - Eigen::Vector3f(0, 0.001F, 0)).norm(), 1e-6F);
  }
  const ComparedPair aligned = align_pair(predicted, truth, {.truth_scale = 1, .truth_camera = {}, .align = true}, 1);
  EXPECT_EQ(aligned.predicted.origin, aligned.truth.origin);
  for (std::size_t i = 0; i < kShape.vertices.size(); ++i) {
    EXPECT_LT((aligned.predicted.vertices[i] - aligned.truth.vertices[i]).norm(), 1e-5F);
    const Eigen::Vector3d found =
        aligned.alignment->target_from_source.transformed(predicted.origin + predicted.vertices[i].cast<double>());
    EXPECT_LT((found - truth.origin - truth.vertices[i].cast<double>()).norm(), 1e-4);
  }
}

TEST(PlaceTest, WarnsOfASizeForWhichTheMetricsAreNotMade) {
  const auto warnings = [](float factor) {
    TriangleMesh shape = kShape;
    for (Eigen::Vector3f& vertex : shape.vertices) vertex *= factor * 0.57F / 1.1456F;  // kShape's diagonal
    return align_pair(shape, shape, {}, 1).warnings;
  };
  EXPECT_TRUE(warnings(1).empty());
  EXPECT_TRUE(warnings(1.7F).empty()) << "a cube that is turned";
  EXPECT_TRUE(warnings(0.6F).empty());
  ASSERT_EQ(warnings(5.9F).size(), 1U);
  EXPECT_EQ(warnings(5.9F)[0].find("the prediction's bounding box has a diagonal of 3.36; CD and F1 are made for"), 0U);
  EXPECT_EQ(warnings(0.1F).size(), 1U);
}

TEST(PlaceTest, AShapeWithoutPointsIsRefused) {
  EXPECT_THROW(static_cast<void>(align_pair({}, kShape, {}, 1)), InputError);
  EXPECT_THROW(static_cast<void>(align_pair(kShape, {}, {}, 1)), InputError);
}

}  // namespace
}  // namespace p2mpp
