#pragma once

#include <Eigen/Core>
#include <vector>

#include "texture/painted_surface.h"

namespace p2mpp {

/// Completes the colours of vertices [V]: where `known` is false, each becomes the mean of its neighbours'. A part of
/// the surface that has no known colour takes the mean of all known ones.
void diffuse_colours(const PaintedSurface& surface, const std::vector<bool>& known,
                     std::vector<Eigen::Array3f>& colours);

/// Fades the colours of vertices [V] to a neutral grey where they are far from those that are known along the surface:
/// from 1% of its diagonal on, wholly at 4%. So colours that are made up do not pass for what photographs show, and
/// small gaps stay filled.
void mark_unknown(const PaintedSurface& surface, const std::vector<bool>& known, std::vector<Eigen::Array3f>& colours);

}  // namespace p2mpp
