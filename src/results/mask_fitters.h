#pragma once

#include <deque>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "p2mpp/fit.h"
#include "p2mpp/sample.h"

namespace p2mpp {

/// "8 masks, IoU 0.88 -> 0.97, 9 steps, 105 ms"
[[nodiscard]] std::string fit_summary(const FitFigures& figures);

/// A MaskFitter for each list of triangles: a model's meshes share one, or two that differ in their winding.
class MaskFitters {
 public:
  /// Thread-safe. The result lives as long as this object.
  [[nodiscard]] const MaskFitter& of(const TriangleMesh& mesh);

 private:
  std::mutex mutex_;
  std::deque<std::pair<std::vector<Triangle>, MaskFitter>> fitters_;
};

/// A sample's mesh, fitted to its masks.
struct FittedMesh {
  TriangleMesh mesh;
  FitFigures figures;
};

/// Fits a sample's mesh, in the world, to the sample's fit masks. The vertices are returned bit for bit if no
/// step is made. This function sets options.correct_masks, and no time in the figures. Thread-safe.
[[nodiscard]] FittedMesh fit_sample(const Sample& sample, const TriangleMesh& mesh, FitOptions options,
                                    MaskFitters& fitters);

}  // namespace p2mpp
