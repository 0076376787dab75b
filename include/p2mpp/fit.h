#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "p2mpp/export.h"
#include "p2mpp/figures.h"
#include "p2mpp/fit_mask.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

struct FitOptions {
  int steps = 24;  ///< at most, 0 to kMaxFitSteps
  /// Trust the mesh's size more than the masks' size, as for a network's mesh. If the masks leave the same gap all
  /// around the mesh and in all views, they are too wide or too narrow, and are corrected. If the gap varies, as around
  /// a thin object, the masks do not change.
  bool correct_masks = false;
  /// The allowed increase of faces that intersect others, as a share of all faces. A step that exceeds it is undone.
  double new_intersections = 0.01;
  /// For a mesh that is good already. Vertices stay where a step would make faces intersect, steps that roughen the
  /// surface for little are not taken, and at most `allowance` masks may be wrong at a place: see mask_allowance().
  bool guarded = false;
  int allowance = 0;
  bool photo_consistency = true;  ///< vertices move to where pictures agree, if there are enough
  int threads = 1;                ///< the result has the same bytes for every number
};
inline constexpr int kMaxFitSteps = 100;

/// Below this mean IoU of the silhouettes at the start, a fit moves parts of the surface to wrong places.
inline constexpr double kHopelessIou = 0.3;

/// The use of one mask. An intersection over union (IoU) counts pixels by their coverage; 1 is best.
struct FittedView {
  double iou_before = 0, iou_after = 0;
  double weight = 1;    ///< 0 to 1: below 1, the mask contradicts the others; 0: it is not used
  std::string problem;  ///< why it is not used, "the mask is empty"; empty if it is
};

/// The effect of a fit on a mesh.
struct FitFigures {
  std::size_t masks = 0, used = 0;
  double iou_before = 0, iou_after = 0;  ///< means over the masks that are used; 0 if there are none
  double mask_correction = 0;            ///< pixels of 224x224 by which the masks were made smaller
  int steps = 0;                         ///< number of steps that were kept
  std::size_t intersecting_before = 0, intersecting_after = 0;  ///< faces that intersect others
  double milliseconds = 0;                                      ///< if the caller measures them
  std::string note;  ///< one line for the user ("2 of 8 masks are not used: ..."), or empty

  /// See for_each_figure().
  template <typename Figures, typename Visit>
  static void visit_figures(Figures& figures, const Visit& visit) {
    visit("masks", figures.masks);
    visit("used", figures.used);
    visit("iou_before", figures.iou_before);
    visit("iou_after", figures.iou_after);
    visit("mask_correction", figures.mask_correction);
    visit("steps", figures.steps);
    visit("intersecting_before", figures.intersecting_before);
    visit("intersecting_after", figures.intersecting_after);
    visit("milliseconds", figures.milliseconds);
    visit("note", figures.note);
  }
};

struct FitResult : FitFigures {
  Points vertices;                ///< the given vertices, moved
  std::vector<FittedView> views;  ///< one for each mask, in their order
  int halved = 0;                 ///< steps that were kept at half their length or less
};

/// Moves the vertices of meshes with the same triangles so that their silhouettes follow masks. Vertices that project
/// outside a mask are moved inside it. Vertices on the silhouette's outline are drawn to boundaries of the mask that
/// the mesh does not reach. If at least eight masks have brightness, vertices move to where small patches of the
/// surface look the same in several views. The displacement is smooth elsewhere. A step that lowers the mean IoU is
/// halved, and then discarded. Reads and writes no files and draws no random numbers. Thread-safe: several threads may
/// call fit() at once.
/// Source: the Laplacian of the displacement as in Sorkine et al., "Laplacian Surface Editing" (SGP 2004).
class P2MPP_EXPORT MaskFitter {
 public:
  /// Factorises the system of the triangles, which takes tens of milliseconds for 2,466 vertices. Throws InputError if
  /// there is no triangle or one names a missing vertex or a vertex twice. The surface may be open and of any topology.
  MaskFitter(std::size_t vertex_count, std::vector<Triangle> triangles);
  ~MaskFitter();
  MaskFitter(MaskFitter&&) noexcept;
  MaskFitter& operator=(MaskFitter&&) noexcept;

  /// `vertices`: [N,3], in the frame of the cameras. A mask is not used if it is empty, full or has only a few pixels,
  /// or if its camera does not see the mesh. The result names such a mask. If no mask can be used, the vertices do not
  /// move. Throws InputError naming the mask if its camera is invalid (check_camera()) or its coverage has another
  /// size, and InputError if there are not N vertices, a vertex is not finite, or steps are out of range.
  [[nodiscard]] FitResult fit(const Points& vertices, std::span<const FitMask> masks,
                              const FitOptions& options = {}) const;

  [[nodiscard]] std::size_t vertex_count() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// MaskFitter for one mesh: vertices in the frame of the cameras. Vertices at one place, as at the seams of a texture
/// and at flat faces, move as one. Triangles that name a place twice and vertices without a triangle are allowed, and
/// stay.
[[nodiscard]] P2MPP_EXPORT FitResult fit_to_masks(const TriangleMesh& mesh, std::span<const FitMask> masks,
                                                  const FitOptions& options = {});

}  // namespace p2mpp
