#pragma once

#include <span>
#include <vector>

#include "model/sampling_rules.h"
#include "p2mpp/camera.h"

namespace p2mpp {

/// Transforms from the frame of the points (camera 0's, unless normalised_origin is set) to each camera's frame.
[[nodiscard]] std::vector<ViewTransform> view_transforms(std::span<const Camera> cameras, const ProjectionRules& rules);

}  // namespace p2mpp
