#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "p2mpp/fit.h"
#include "p2mpp/sample.h"

namespace p2mpp {

/// What a fit did to a sample's mesh. An IoU is the mean over the masks that were used.
struct FitFigures {
  std::size_t masks = 0, used = 0;
  double iou_before = 0, iou_after = 0;
  double mask_correction = 0;  ///< see FitResult
  int steps = 0;
  std::size_t intersecting_before = 0, intersecting_after = 0;  ///< faces
  double milliseconds = 0;
  std::string note;  ///< see FitResult
};

/// All but the milliseconds.
[[nodiscard]] FitFigures figures_of(const FitResult& result);

/// "8 masks, IoU 0.88 -> 0.97, 9 steps, 105 ms"
[[nodiscard]] std::string describe(const FitFigures& figures);

/// Vertices in the world, as the network gives them: see Reconstruction.
[[nodiscard]] Points in_frame_of_network(const Sample& sample, const Points& world);

/// A MaskFitter for each list of triangles: a model's meshes share one, or two that differ in their winding.
class MaskFitters {
 public:
  /// Thread-safe. The result lives as long as this object.
  [[nodiscard]] const MaskFitter& of(const TriangleMesh& mesh);

 private:
  std::mutex mutex_;
  std::deque<std::pair<std::vector<Triangle>, MaskFitter>> fitters_;
};

}  // namespace p2mpp
