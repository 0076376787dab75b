#include "eval/compared_pair.h"

#include <gtest/gtest.h>

#include "p2mpp/error.h"

namespace p2mpp {
namespace {

const TriangleMesh kShape{{{0, 0, 0}, {1, 0, 0}, {0, 0.5F, 0}, {0, 0, 0.25F}},
                          {{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}},
                          {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

TEST(PlaceTest, ByDefaultNothingChanges) {
  const ComparedPair pair = place(kShape, kShape, {}, 1);
  EXPECT_EQ(pair.predicted.vertices, kShape.vertices);
  EXPECT_EQ(pair.truth.vertices, kShape.vertices);
  EXPECT_EQ(pair.mismatch, "");
  EXPECT_FALSE(pair.alignment);
}

TEST(PlaceTest, TheTruthOfShapeNetIsScaledAndSeenFromTheCamera) {
  const Camera camera = camera_from_row({.azimuth_deg = 40, .elevation_deg = 25, .distance = 0.8F});
  const ComparedPair pair = place(kShape, kShape, {.truth_scale = 0.57, .truth_camera = camera}, 1);
  for (std::size_t i = 0; i < kShape.vertices.size(); ++i) {
    const Eigen::Vector3d expected = camera.cam_from_world(0.57 * kShape.vertices[i].cast<double>());
    EXPECT_LT((pair.truth.vertices[i].cast<double>() - expected).norm(), 1e-6);
    EXPECT_LT((pair.truth.normals[i].cast<double>() - camera.rotation * kShape.normals[i].cast<double>()).norm(), 1e-6);
  }
  EXPECT_EQ(pair.predicted.vertices, kShape.vertices);
  EXPECT_NE(pair.mismatch, "");
}

TEST(PlaceTest, AlignedShapesCoincide) {
  TriangleMesh predicted = kShape;
  for (Eigen::Vector3f& vertex : predicted.vertices) vertex = 3 * vertex + Eigen::Vector3f(5, 6, 7);
  const ComparedPair pair = place(predicted, kShape, {.truth_scale = 1, .truth_camera = {}, .align = true}, 1);
  ASSERT_TRUE(pair.alignment);
  EXPECT_NEAR(pair.alignment->target_from_source.scale, 1.0 / 3, 1e-6);
  for (std::size_t i = 0; i < kShape.vertices.size(); ++i) {
    EXPECT_LT((pair.predicted.vertices[i] - kShape.vertices[i]).norm(), 1e-5F);
  }
  EXPECT_EQ(pair.mismatch, "");
}

TEST(PlaceTest, AShapeWithoutPointsIsRefused) {
  EXPECT_THROW(static_cast<void>(place({}, kShape, {}, 1)), InputError);
  EXPECT_THROW(static_cast<void>(place(kShape, {}, {}, 1)), InputError);
}

}  // namespace
}  // namespace p2mpp
