#pragma once

#include <span>
#include <vector>

#include "model/sampling_rules.h"
#include "p2mpp/camera.h"

namespace p2mpp {

/// From the frame that points are given in (camera 0's, but for normalised_origin) to each camera's.
[[nodiscard]] std::vector<ViewTransform> view_transforms(std::span<const Camera> cameras, const ProjectionRules& rules);

}  // namespace p2mpp
