#pragma once

#include <optional>
#include <string>
#include <vector>

#include "geometry/alignment.h"
#include "p2mpp/camera.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// The transformation of a prediction and its ground truth into one frame before the comparison. The default changes
/// nothing.
struct PairPlacement {
  double truth_scale = 1;              ///< the truth's coordinates are multiplied by this first: 0.57 for ShapeNet's
  std::optional<Camera> truth_camera;  ///< then they are transformed from the world's frame to this camera's
  bool align = false;                  ///< finally, the prediction is moved onto the truth by a similarity
};

/// Two shapes in one frame.
struct ComparedPair {
  TriangleMesh predicted, truth;
  std::optional<Alignment> alignment;  ///< what PairPlacement::align has found
  /// Why the metrics are probably meaningless: describe_mismatch() (if aligned, of boxes that did not overlap before),
  /// or a size for which their tolerances are not made.
  std::vector<std::string> warnings;
};

/// Applies a placement. Throws InputError as align() and check_points().
[[nodiscard]] ComparedPair align_pair(TriangleMesh predicted, TriangleMesh truth, const PairPlacement& placement,
                                      int threads);

}  // namespace p2mpp
