#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "fit/fit_surface.h"
#include "fit/smooth_system.h"
#include "image/mask_view.h"
#include "p2mpp/fit.h"
#include "p2mpp/fit_mask.h"

namespace p2mpp {

/// MaskFitter's work, with masks that are views already.
class ViewFitter {
 public:
  /// Throws as MaskFitter's constructor.
  ViewFitter(std::size_t vertex_count, std::vector<Triangle> triangles);
  ViewFitter(const ViewFitter&) = delete;
  ViewFitter& operator=(const ViewFitter&) = delete;

  /// `vertices`: [N,3], finite, in the views' world. A null view is not used. The result has no note, and says nothing
  /// of why a view is not used. Thread-safe.
  [[nodiscard]] FitResult fit(const Points& vertices, std::span<const MaskView* const> views,
                              const FitOptions& options);

  [[nodiscard]] std::size_t vertex_count() const { return surface_.vertex_count(); }

 private:
  FitSurface surface_;
  SmoothSystems systems_;
};

/// Whether all vertices are in front of a view's camera.
[[nodiscard]] bool sees_whole(const MaskView& view, const Points& vertices);

/// fit_to_masks() with views that show an object. Those that do not see the whole mesh are not used.
[[nodiscard]] FitResult fit_to_views(const TriangleMesh& mesh, std::span<const MaskView> views,
                                     const FitOptions& options);

/// A mask's name, or "mask 3" for the third.
[[nodiscard]] std::string mask_label(const FitMask& mask, std::size_t index);

/// Throws InputError naming the mask if it is no square, if its size and coverage differ, or if its camera is none.
void check_mask(const FitMask& mask, std::size_t index);

/// Throws InputError (one clause) if a valid mask shows no object: "the mask is empty".
void check_shows_object(const FitMask& mask);

}  // namespace p2mpp
