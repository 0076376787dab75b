#include "eval/scoring.h"

namespace p2mpp {

Scores score_mesh(const TriangleMesh& predicted, const TriangleMesh& truth) {
  const Points predicted_surface = sample_surface(predicted, kSurfacePoints, kSurfaceSeed);
  // Another seed, so that a mesh held against itself is not met at the very same points.
  const Points truth_surface =
      truth.triangles.empty() ? truth.vertices : sample_surface(truth, kSurfacePoints, kSurfaceSeed + 1);
  return {compare_shapes(predicted.vertices, truth.vertices), compare_shapes(predicted_surface, truth_surface)};
}

}  // namespace p2mpp
