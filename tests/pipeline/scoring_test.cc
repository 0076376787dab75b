#include "pipeline/scoring.h"

#include <cmath>

#include "support/evaluation_fixture.h"

namespace p2mpp {
namespace {

TEST(ScoreMesh, AMeshMeetsItself) {
  const TriangleMesh mesh = tetrahedron(0.3F);
  const Scores scores = score_mesh(mesh, mesh);
  EXPECT_EQ(scores.vertices.chamfer_distance, 0);
  EXPECT_EQ(scores.vertices.f1_tau, 100);
  // Two samples of one surface are near each other, not the same.
  EXPECT_GT(scores.surface.chamfer_distance, 0);
  EXPECT_LT(scores.surface.chamfer_distance, 1e-4);
  EXPECT_GT(scores.surface.f1_tau, 99);
  EXPECT_EQ(score_mesh(mesh, mesh).surface.chamfer_distance, scores.surface.chamfer_distance) << "again";
}

TEST(ScoreMesh, PointsWithoutTrianglesAreTakenAsTheyAre) {
  const TriangleMesh cloud{{{0, 0, 0}}, {}};
  const Scores scores = score_mesh(tetrahedron(1), cloud);
  EXPECT_NEAR(scores.vertices.chamfer_distance, 0.75, 1e-6);  // squared distances 0, 1, 1, 1; and 0 back
  EXPECT_EQ(scores.vertices.recall_tau, 100);
  EXPECT_EQ(scores.vertices.precision_tau, 25);
  EXPECT_EQ(scores.vertices.f1_tau, 40);
}

TEST(ScoreMesh, PointsHaveNoSurface) {
  const Scores scores = score_mesh(TriangleMesh{{{0, 0, 0}}, {}}, tetrahedron(1));
  EXPECT_FALSE(is_defined(scores.surface));
  EXPECT_TRUE(std::isnan(scores.surface.f1_tau));
  EXPECT_EQ(scores.vertices.precision_tau, 100);
  EXPECT_TRUE(is_defined(score_mesh(tetrahedron(1), tetrahedron(1)).surface));
}

TEST(ScoreMesh, NormalsComeFromTrianglesAndFiles) {
  const TriangleMesh mesh = tetrahedron(1);
  EXPECT_NEAR(score_mesh(mesh, mesh).vertices.normal_consistency, 1, 1e-6);
  EXPECT_GT(score_mesh(mesh, mesh).surface.normal_consistency, 0.95);
  const PointCloud samples = sample_surface(mesh, 5000, 3);
  const Scores against_points =
      score_mesh(mesh, {.vertices = samples.points, .triangles = {}, .normals = samples.normals});
  EXPECT_GT(against_points.surface.normal_consistency, 0.95);
  EXPECT_TRUE(std::isnan(score_mesh(mesh, {samples.points, {}}).surface.normal_consistency));
}

TEST(ScoreMesh, RefusesWhatCannotBeScored) {
  EXPECT_THROW(static_cast<void>(score_mesh(tetrahedron(0), tetrahedron(1))), InputError);
  EXPECT_THROW(static_cast<void>(score_mesh(tetrahedron(1), TriangleMesh{})), InputError);
  EXPECT_THROW(static_cast<void>(score_mesh(tetrahedron(1), TriangleMesh{{{NAN, 0, 0}}, {}})), InputError);
}

TEST(MetricFields, NameEveryFigure) {
  ShapeMetrics metrics;
  for (const MetricField& field : kMetricFields) metrics.*field.value = 1;
  EXPECT_EQ(metrics.chamfer_distance + metrics.f1_tau + metrics.f1_2tau + metrics.precision_tau + metrics.recall_tau +
                metrics.precision_2tau + metrics.recall_2tau + metrics.hausdorff_90 + metrics.normal_consistency,
            9);
  static_assert(sizeof(ShapeMetrics) == kMetricFields.size() * sizeof(double));
}

}  // namespace
}  // namespace p2mpp
