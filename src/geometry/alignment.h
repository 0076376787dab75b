#pragma once

#include <string>

#include "p2mpp/similarity.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// A similarity that moves one shape onto another.
struct Alignment {
  Similarity target_from_source;  ///< point of `target` = target_from_source.transformed(point of source)
  double root_mean_square = 0;    ///< of the distances from each shape's points to the other's, in `target`'s unit
  int rounds = 0;                 ///< of iterative closest points
};

/// Aligns two shapes without known correspondences: equal centroids and radii, then iterative closest points with scale
/// in both directions. It finds the nearest optimum, so shapes that are turned by more than about 45 degrees keep a
/// wrong rotation. Throws InputError if a shape has fewer than 3 points, all points are equal, or one is not finite.
/// Source: P. Besl, N. McKay, "A Method for Registration of 3-D Shapes", PAMI 1992; S. Umeyama, "Least-Squares
/// Estimation of Transformation Parameters Between Two Point Patterns", PAMI 1991.
[[nodiscard]] Alignment align(const Points& source, const Points& target, int threads = 1);

/// Whether the bounding boxes of two shapes have a point in common.
[[nodiscard]] bool boxes_overlap(const Points& a, const Points& b);

/// The reason why two shapes that should coincide are probably in different frames or units. Their bounding boxes do
/// not overlap, or the diagonals differ by more than a factor of 1.3. One clause; empty if there is nothing to say.
/// Precondition: finite.
[[nodiscard]] std::string describe_mismatch(const Points& predicted, const Points& truth);

}  // namespace p2mpp
