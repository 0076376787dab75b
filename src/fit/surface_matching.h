#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "fit/fit_forces.h"
#include "fit/fit_surface.h"

namespace p2mpp {

/// The place near a vertex where several pictures agree about the surface.
struct SurfaceMatch {
  std::int32_t vertex = 0;
  float distance = 0;  ///< by which the vertex should move along its normal
};

/// Whether enough views have brightness for reliable matches.
[[nodiscard]] bool can_match(std::span<const FitTarget> targets);

/// Searches for the surface along the vertices' normals. At the true surface, small patches look the same in the views
/// that see the vertex best. This works where the surface has a pattern or creases, also in hollows that no silhouette
/// shows. Views without brightness are ignored. normals: of the vertices [N]. Returns matches in the order of the
/// vertices, the same for every number of threads. Precondition: can_match(). Source: the matching cost of Furukawa and
/// Ponce, "Accurate, Dense, and Robust Multiview Stereopsis" (2010).
[[nodiscard]] std::vector<SurfaceMatch> match_surface(std::span<const FitTarget> targets,
                                                      std::span<const MaskProjection> projections,
                                                      const FitSurface& surface,
                                                      std::span<const Eigen::Vector3f> vertices,
                                                      std::span<const Eigen::Vector3f> normals, int threads);

}  // namespace p2mpp
