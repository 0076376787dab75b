#pragma once

#include "fit/fit_surface.h"

namespace p2mpp {

/// Unit normals of triangles [F], each averaged with those beyond its edges as often as `rounds` says. Triangles that
/// face other ways count less, so that edges stay. Source: Zheng et al., "Bilateral Normal Filtering for Mesh
/// Denoising" (2011).
[[nodiscard]] std::vector<Eigen::Vector3f> even_normals(const FitSurface& surface, const Points& vertices, int rounds);

/// The vertices, moved towards planes with these normals through the middles of their triangles. Source: Sun et al.,
/// "Fast and Effective Feature-Preserving Mesh Denoising" (2007).
[[nodiscard]] Points moved_to_normals(const FitSurface& surface, const Points& vertices,
                                      const std::vector<Eigen::Vector3f>& normals);

}  // namespace p2mpp
