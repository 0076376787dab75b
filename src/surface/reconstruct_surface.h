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

struct SurfaceFigures {
  std::size_t masks = 0, used = 0;
  int allowance = 0;                   ///< masks that may object to a point of the hull
  int resolution = 0;                  ///< voxels along the longest side
  double voxel = 0;                    ///< its side
  std::size_t parts = 0, dropped = 0;  ///< components, and small ones that were removed
  std::string note;                    ///< one line for the user, or empty
};

struct SurfaceResult : SurfaceFigures {
  TriangleMesh mesh;  ///< closed, manifold, wound outward; no triangle intersects another
};

/// The surface of an object between the visual hull of its masks and a network's mesh. `network`: in the masks' frame,
/// may intersect itself; null: the hull alone, smoothed. Throws InputError as hull_mesh().
[[nodiscard]] SurfaceResult reconstruct_surface(std::span<const FitMask> masks, const TriangleMesh* network,
                                                const SurfaceOptions& options = {});

}  // namespace p2mpp
