#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "fit/fit_surface.h"
#include "fit/mesh_silhouette.h"
#include "fit/smooth_system.h"
#include "image/mask_boundary.h"
#include "image/mask_view.h"
#include "p2mpp/fit.h"

namespace p2mpp {

/// A mask that is used, with everything about it that does not change while the mesh moves.
struct FitTarget {
  /// `view` must outlive this object. `index`: of the mask.
  FitTarget(const MaskView& view, std::size_t index);

  /// Moves the boundary inwards, or outwards if `pixels` (of 224x224) is negative.
  void shrink(float pixels);

  std::size_t index;
  const MaskView& view;
  MaskBoundary boundary;          ///< of the view's mask, possibly shrunk
  std::vector<float> brightness;  ///< [width, width], NaN where the object does not cover a pixel; empty if not known
  float scale;                    ///< pixels of the mask per pixel of 224x224
};

/// A target that a mask gives to one vertex.
struct FitForce {
  std::int32_t vertex = 0;
  float weight = 0;
  Eigen::Vector3f direction = Eigen::Vector3f::Zero();  ///< unit length, in the vertices' frame
  float distance = 0;                                   ///< by which the vertex should move along the direction
  bool is_inward = false;                               ///< because the vertex is outside the mask
};

/// A mesh projected into a mask's image: its silhouette, and the silhouette's overlap (IoU) with the mask.
struct MaskProjection {
  ProjectedVertices projected;
  MeshSilhouette silhouette;
  double overlap = 0;
};
[[nodiscard]] MaskProjection project_to_mask(const FitTarget& target, const FitSurface& surface,
                                             std::span<const Eigen::Vector3f> vertices);

/// The forces of a mask. Vertices outside the mask are moved inside it. Vertices on the outline stay on the mask's
/// boundary, or move to parts of the boundary that the mesh does not reach. normals: of the vertices [N].
[[nodiscard]] std::vector<FitForce> forces(const FitTarget& target, const MaskProjection& projection,
                                           const FitSurface& surface, std::span<const Eigen::Vector3f> normals);

/// The distances from vertices on the outline to the nearest boundary of the mask, in pixels of 224x224, positive if
/// the boundary lies outside the mesh.
[[nodiscard]] std::vector<float> outline_distances(const FitTarget& target, const MaskProjection& projection,
                                                   const FitSurface& surface, std::span<const Eigen::Vector3f> normals);

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
