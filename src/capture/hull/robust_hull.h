#pragma once

#include <span>
#include <vector>

#include "capture/hull/hull_projection.h"

namespace p2mpp {

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
[[nodiscard]] RobustHull robust_hull(std::span<const Silhouette> silhouettes, int depth = CarvingOptions().depth);

inline constexpr double kExplained = 0.05;  ///< share of a silhouette that may be unexplained

}  // namespace p2mpp
