#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "p2mpp/fit_mask.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

struct SurfaceOptions {
  int resolution = 0;  ///< voxels along the object's longest side, kLeastResolution to kMostResolution; 0: by the masks
  std::size_t target_vertices = 10'000;
  int threads = 1;  ///< the result has the same bytes for every number
};
inline constexpr int kLeastResolution = 32, kMostResolution = 512;

/// What a surface was made from.
struct SurfaceFigures {
  std::size_t masks = 0, used = 0;
  int allowance = 0;                   ///< masks that may object to a point of the hull
  int resolution = 0;                  ///< voxels along the longest side
  double voxel = 0;                    ///< its side
  std::size_t parts = 0, dropped = 0;  ///< components, and small ones that were removed
  double milliseconds = 0;             ///< if the caller measures them
  std::string note;                    ///< one line for the user, or empty
};

/// Calls visit(name, figure) for each figure, always in the same order. Used to write files.
template <typename Figures, typename Visit>
void for_each_surface_figure(Figures& figures, const Visit& visit) {
  visit("masks", figures.masks);
  visit("used", figures.used);
  visit("allowance", figures.allowance);
  visit("resolution", figures.resolution);
  visit("voxel", figures.voxel);
  visit("parts", figures.parts);
  visit("dropped", figures.dropped);
  visit("milliseconds", figures.milliseconds);
  visit("note", figures.note);
}

struct SurfaceResult : SurfaceFigures {
  TriangleMesh mesh;  ///< closed, manifold, wound outward; no triangle intersects another
};

/// The meshes that show about where the surface is, in the masks' frame. They may intersect themselves; null: not
/// known.
struct ExpectedMeshes {
  const TriangleMesh* network = nullptr;
  /// The same fitted to all masks. If masks contradict each other, it follows wrong ones, and is not used.
  const TriangleMesh* fitted = nullptr;
};

/// The surface of an object between the visual hull of its masks and an expected mesh. Without one, it is the hull's,
/// smoothed. Throws InputError (one line, without a file's name) if fewer than two masks show a silhouette, if they
/// have no point in common or do not enclose one; naming the mask if its camera or size is not valid.
[[nodiscard]] SurfaceResult reconstruct_surface(std::span<const FitMask> masks, const ExpectedMeshes& meshes = {},
                                                const SurfaceOptions& options = {});

}  // namespace p2mpp
