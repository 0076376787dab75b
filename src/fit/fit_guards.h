#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>
#include <vector>

#include "fit/fit_forces.h"
#include "fit/fit_surface.h"
#include "fit/self_intersections.h"

namespace p2mpp {

/// Removes the forces that only a few masks ask for. A vertex moves inwards if more than `allowance` masks show it
/// outside, and outwards to places that at most `allowance` masks show outside. found: of each target.
void drop_minorities(std::span<const FitTarget> targets, std::span<const Eigen::Vector3f> vertices, int allowance,
                     int threads, std::vector<std::vector<FitForce>>& found);

/// Whether enough matches are like those around them. On shiny surfaces, highlights match at any depth.
[[nodiscard]] bool do_agree(const FitSurface& surface, std::span<const Eigen::Vector3f> vertices,
                            std::span<const SurfaceMatch> matches);

/// Moves vertices back to where they were before, until no triangle folds over, and none has a closer contact than
/// before. Returns the contacts after, or nothing if many would have to go back. were: those before.
[[nodiscard]] std::optional<Contacts> keep_apart(const FitSurface& surface, std::span<const Eigen::Vector3f> before,
                                                 const Contacts& were, int threads, Points& after);

/// The mean of 1 - cosine of the angle between the normals of neighbouring triangles, weighted by edges' lengths.
[[nodiscard]] double roughness(const FitSurface& surface, std::span<const Eigen::Vector3f> vertices);

}  // namespace p2mpp
