#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "p2mpp/export.h"
#include "p2mpp/fit_mask.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

struct FitOptions {
  int steps = 24;  ///< at most, 0 to kMaxFitSteps
  /// Whether the mesh's size is trusted more than that of the masks, as for a network's mesh: masks that leave the same
  /// gap all around the mesh, in all views, are taken to have grown or to have been eaten, and are corrected. Masks of
  /// a thin object around which the gap varies are left as they are.
  bool correct_masks = false;
  /// Faces that intersect others, more than at the start, as a share of all faces. A step beyond is taken back.
  double new_intersections = 0.01;
  int threads = 1;  ///< the result has the same bytes for every number
};
inline constexpr int kMaxFitSteps = 100;

/// Below this mean IoU of the silhouettes at the start, a fit moves surface to the wrong place.
inline constexpr double kHopelessIou = 0.3;

/// A mask, as it was used. An intersection over union (IoU) counts pixels by their coverage; 1 is best.
struct FittedView {
  double iou_before = 0, iou_after = 0;
  double weight = 1;    ///< 0 to 1: below 1, the mask contradicts the others; 0: it is not used
  std::string problem;  ///< why it is not used ("the mask is empty"); empty if it is
};

/// What a fit did to a mesh.
struct FitFigures {
  std::size_t masks = 0, used = 0;
  double iou_before = 0, iou_after = 0;  ///< means over the masks that are used; 0 if there are none
  double mask_correction = 0;            ///< pixels of 224x224 by which the masks were made smaller
  int steps = 0;                         ///< that were kept
  std::size_t intersecting_before = 0, intersecting_after = 0;  ///< faces that intersect others
  double milliseconds = 0;                                      ///< if the caller measures them
  std::string note;  ///< what the user should know, one line ("2 of 8 masks are not used: ..."); empty if nothing
};

/// Calls visit(name, figure) for each of them, in one order: for files.
template <typename Figures, typename Visit>
void for_each_figure(Figures& figures, const Visit& visit) {
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

struct FitResult : FitFigures {
  Points vertices;                ///< as given, moved
  std::vector<FittedView> views;  ///< as the masks
  int halved = 0;                 ///< steps that were kept at half their length or less
};

/// Moves the vertices of meshes with the same triangles so that their silhouettes follow masks. Vertices that project
/// outside a mask move in; vertices on the silhouette's outline are drawn to boundaries of the mask that the mesh does
/// not reach; with eight masks or more that have brightness, vertices move to where small patches of the surface look
/// the same in them; the displacement is smooth elsewhere. A step that lowers the mean IoU is halved, then given up.
/// Works without input, output and randomness. Thread-safe: fit() may be called by several threads at once.
/// Source: the Laplacian of the displacement as in Sorkine et al., "Laplacian Surface Editing" (SGP 2004).
class P2MPP_EXPORT MaskFitter {
 public:
  /// Factorises what depends on the triangles alone: tens of milliseconds for 2,466 vertices. Throws InputError if
  /// there is no triangle or one names a missing vertex or a vertex twice. The surface may be open and of any topology.
  MaskFitter(std::size_t vertex_count, std::vector<Triangle> triangles);
  ~MaskFitter();
  MaskFitter(MaskFitter&&) noexcept;
  MaskFitter& operator=(MaskFitter&&) noexcept;

  /// `vertices`: [N,3], in the frame of the cameras. A mask that is empty, full or a few pixels, or whose camera does
  /// not see the mesh, is not used, and named in the result; without any that can be used, vertices stay as they are.
  /// Throws InputError naming the mask if its camera is none (describe_problem()), or its size and coverage differ;
  /// and if vertices are not N or not finite, or steps are out of range.
  [[nodiscard]] FitResult fit(const Points& vertices, std::span<const FitMask> masks,
                              const FitOptions& options = {}) const;

  [[nodiscard]] std::size_t vertex_count() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// MaskFitter for one mesh: vertices in the frame of the cameras.
[[nodiscard]] P2MPP_EXPORT FitResult fit_to_masks(const TriangleMesh& mesh, std::span<const FitMask> masks,
                                                  const FitOptions& options = {});

}  // namespace p2mpp
