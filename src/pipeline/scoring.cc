#include "pipeline/scoring.h"

namespace p2mpp {
namespace {

ShapeMetrics undefined_metrics() {
  ShapeMetrics metrics;
  for (const MetricField& field : kMetricFields) metrics.*field.value = std::numeric_limits<double>::quiet_NaN();
  return metrics;
}

ShapeMetrics score_surface(const TriangleMesh& predicted, const TriangleMesh& truth, const ComparisonOptions& options) {
  if (predicted.triangles.empty()) return undefined_metrics();
  // The truth is sampled with another seed, so that a mesh compared with itself does not get the very same points.
  const PointCloud truth_surface =
      truth.triangles.empty() ? vertex_cloud(truth) : sample_surface(truth, kSurfacePoints, kSurfaceSeed + 1);
  return compare_shapes(sample_surface(predicted, kSurfacePoints, kSurfaceSeed), truth_surface, options);
}

}  // namespace

Scores score_mesh(const TriangleMesh& predicted, const TriangleMesh& truth, const ComparisonOptions& options,
                  const TriangleMesh& coarse) {
  const PointCloud truth_points = vertex_cloud(truth);
  Scores scores{.vertices = compare_shapes(vertex_cloud(predicted), truth_points, options),
                .surface = score_surface(predicted, truth, options),
                .coarse = undefined_metrics()};
  if (!coarse.vertices.empty()) scores.coarse = compare_shapes(vertex_cloud(coarse), truth_points, options);
  return scores;
}

}  // namespace p2mpp
