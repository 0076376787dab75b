#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "hull/carving.h"

namespace p2mpp {

/// The disagreement of a hull with a silhouette. Both shares are 0 for exact cameras and masks, up to the raster.
struct SilhouetteFit {
  double unexplained = 0;  ///< share of the silhouette onto which nothing of the hull projects
  double beyond = 0;       ///< area of the hull's projection outside the silhouette, relative to the silhouette's
};

/// One per silhouette. Pixels at boundaries do not count.
[[nodiscard]] std::vector<SilhouetteFit> silhouette_fits(const Hull& hull, std::span<const MaskView> silhouettes);

/// The silhouettes that contradict the others (a wrong mask or camera): at most a quarter of them, worst first. Found
/// with a hull whose points may be outside an eighth of the silhouettes. A silhouette contradicts the others if this
/// hull misses it or exceeds it by much more than the hull does for the median silhouette. Empty if there are fewer
/// than 4.
[[nodiscard]] std::vector<std::size_t> contradicting_silhouettes(std::span<const MaskView> silhouettes);

/// Bounds of the object's box along the rows of `axes`, from the hull.
struct BoxBounds {
  Eigen::Vector3d lower_outer, upper_outer;  ///< the hull's box: the object is inside
  /// The smallest box, one side at a time, that still explains the silhouettes. For every pixel of a mask, it contains
  /// a point of the hull that projects there. A hull from few elevations has cones above and below the object, which
  /// are between the two boxes.
  Eigen::Vector3d lower_inner, upper_inner;
};

/// Precondition: the hull is not empty.
[[nodiscard]] BoxBounds box_bounds(const Hull& hull, std::span<const MaskView> silhouettes,
                                   const Eigen::Matrix3d& axes);

/// The extents along the source's axes that an object needs to explain the silhouettes, except for kStrayPixels of
/// each, which a coarse hull explains by chance. Three views give about 0.9 of the object's extents, and rarely more. 0
/// along an axis if no extent is needed. Precondition: the hull is not empty.
[[nodiscard]] Eigen::Vector3d least_extents(const Hull& hull, std::span<const MaskView> silhouettes);

inline constexpr double kStrayPixels = 0.002;  ///< share of a silhouette

/// The hull's outward unit normal at a point of its surface, in the source: the boundary of the tightest silhouette
/// there and that camera's centre span the tangent plane. Zero where no silhouette has a boundary.
[[nodiscard]] Eigen::Vector3d surface_normal(std::span<const MaskView> silhouettes, const Eigen::Vector3d& point);

/// A hull that one bad mask or slightly wrong cameras do not ruin.
struct RobustHull {
  Hull hull;
  std::vector<std::size_t> excluded;  ///< silhouettes that contradict the others, in order; not used
  int allowance = 0;                  ///< as in CarvingOptions
  /// The disagreement of the hull with each silhouette, including the excluded ones. A mean share of unexplained pixels
  /// of more than a few percent means wrong cameras.
  std::vector<SilhouetteFit> fits;
};

/// Carves with all silhouettes. If the hull does not explain one of them, excludes contradicting silhouettes, worst
/// first, until the others are explained. If that fails, keeps all and raises the allowance, up to a twelfth of the
/// silhouettes, until they are explained. `depth`: as in CarvingOptions. Throws as carve().
[[nodiscard]] RobustHull robust_hull(std::span<const MaskView> silhouettes, int depth = CarvingOptions().depth);

inline constexpr double kExplained = 0.05;  ///< share of a silhouette that may be unexplained

}  // namespace p2mpp
