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

/// Fits the hull of the masks instead of a mesh that hardly overlaps them. Returns the hull as it was before the fit,
/// and replaces `result`, except for its figures of the mesh before the fit. Null if there is no hull or it is no
/// better.
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
  FitFigures figures;                        ///< all except the milliseconds
  Points vertices;                           ///< as the network gives them: see Reconstruction
  std::shared_ptr<const TriangleMesh> hull;  ///< whose triangles they are; null: the mesh's own
};

/// Fits a sample's mesh, with vertices in the world frame, to its fit masks. `vertices`: the same vertices as the
/// network gives them; they are returned bit for bit if no step is made. This function sets options.correct_masks.
/// Thread-safe.
[[nodiscard]] FittedMesh fit_sample(const Sample& sample, const TriangleMesh& mesh, const Points& vertices,
                                    FitOptions options, MaskFitters& fitters);

}  // namespace p2mpp
