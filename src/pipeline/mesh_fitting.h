#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "p2mpp/fit.h"
#include "p2mpp/sample.h"

namespace p2mpp {

/// "8 masks, IoU 0.88 -> 0.97, 9 steps, 105 ms"
[[nodiscard]] std::string describe(const FitFigures& figures);

/// Vertices in the world, as the network gives them: see Reconstruction.
[[nodiscard]] Points in_frame_of_network(const Sample& sample, const Points& world);

/// For a mesh that hardly overlaps its masks: fits their hull instead. Returns it, as it was before the fit, and
/// replaces `result`, but for what it says of the mesh before; null if there is no hull or it is no better.
[[nodiscard]] std::shared_ptr<const TriangleMesh> fit_hull(std::span<const FitMask> masks, FitOptions options,
                                                           FitResult& result);

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
  FitFigures figures;                        ///< all but the milliseconds
  Points vertices;                           ///< as the network gives them: see Reconstruction
  std::shared_ptr<const TriangleMesh> hull;  ///< whose triangles they are; null: the mesh's own
};

/// Fits a sample's mesh, whose vertices are in the world, to its fit masks; `vertices` are the same as the network
/// gives them, and are returned to the bit if no step is taken. options.correct_masks is chosen here. Thread-safe.
[[nodiscard]] FittedMesh fit_sample(const Sample& sample, const TriangleMesh& mesh, const Points& vertices,
                                    FitOptions options, MaskFitters& fitters);

}  // namespace p2mpp
