#pragma once

#include <Eigen/Core>
#include <vector>

#include "texture/painted_surface.h"

namespace p2mpp {

/// Completes the colours of vertices [V]: where `known` is false, each becomes the mean of its neighbours'. A part of
/// the surface that has no known colour takes the mean of all known ones.
void diffuse_colours(const PaintedSurface& surface, const std::vector<bool>& known,
                     std::vector<Eigen::Array3f>& colours);

}  // namespace p2mpp
