#pragma once

#include <cstddef>
#include <span>

#include "geometry/distances/distance_field.h"
#include "p2mpp/fit.h"
#include "p2mpp/fit_mask.h"
#include "p2mpp/surface.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

struct SurfaceOptions {
  int resolution = SurfaceChoice().resolution;
  std::size_t target_vertices = SurfaceChoice().target_vertices;
  int fit_steps = FitOptions().steps;  ///< of the fit that follows, at most
  bool photo_consistency = true;       ///< the surface moves to where pictures agree, if there are enough
  int threads = 1;                     ///< the result has the same bytes for every number
};

struct SurfaceResult : SurfaceFigures {
  TriangleMesh mesh;  ///< closed, manifold, wound outward; no triangle intersects another
};

/// What says about where the surface is, in the masks' frame; null: not known. Meshes may intersect themselves.
struct ExpectedSurface {
  const TriangleMesh* network = nullptr;
  /// The same fitted to all masks. If masks contradict each other, it follows wrong ones, and is not used.
  const TriangleMesh* fitted = nullptr;
  /// Instead of the meshes: has the surface, which is then fitted to the masks.
  const DistanceField* learned = nullptr;
};

/// The number of masks that may be wrong at a place, for FitOptions: see best_allowance(). 0 if the masks do not
/// enclose one object.
[[nodiscard]] int mask_allowance(std::span<const FitMask> masks, int threads);

/// The surface of an object between the visual hull of its masks and the expected one. Without it, it is the hull's,
/// smoothed. Throws InputError (one line, without a file's name) if fewer than two masks show a silhouette, if they
/// have no point in common or do not enclose one; naming the mask if its camera or size is not valid.
[[nodiscard]] SurfaceResult reconstruct_surface(std::span<const FitMask> masks, const ExpectedSurface& shape = {},
                                                const SurfaceOptions& options = {});

}  // namespace p2mpp
