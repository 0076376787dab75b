#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "fit/fit_forces.h"
#include "fit/fit_surface.h"

namespace p2mpp {

/// Where several pictures agree about the surface near a vertex.
struct SurfaceMatch {
  std::int32_t vertex = 0;
  float distance = 0;  ///< that the vertex should move along its normal
};

/// Whether so many views have brightness that their matches are right mostly.
[[nodiscard]] bool can_match(std::span<const FitTarget> targets);

/// Looks for the surface along the vertices' normals: where small patches of it look the same to the views that see
/// the vertex best. It is found where the surface has a pattern or creases, also in hollows that no silhouette shows.
/// Views without brightness are left out. Precondition: can_match(). normals: of the vertices [N]. By vertex; the same
/// for every number of threads. Source: the matching cost of Furukawa and Ponce, "Accurate, Dense, and Robust Multiview
/// Stereopsis" (2010).
[[nodiscard]] std::vector<SurfaceMatch> match_surface(std::span<const FitTarget> targets,
                                                      std::span<const FitSight> sights, const FitSurface& surface,
                                                      std::span<const Eigen::Vector3f> vertices,
                                                      std::span<const Eigen::Vector3f> normals, int threads);

}  // namespace p2mpp
