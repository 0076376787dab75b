#pragma once

#include <Eigen/Core>
#include <optional>

#include "p2mpp/camera.h"
#include "p2mpp/sample.h"

namespace p2mpp {

/// A distance from the object within those that the models have seen, 0.65 to 0.9 units of the world.
[[nodiscard]] double seen_distance(double distance);

/// Rows: axes of a camera (x right, y up, z backwards) at a point that looks at the origin, without roll. `right_hint`:
/// its x axis if it is straight above or below.
[[nodiscard]] Eigen::Matrix3d looking_at_origin(const Eigen::Vector3d& origin, const Eigen::Vector3d& right_hint);

/// The network's frame for a sample whose first view has this camera: the same direction, at seen_distance().
[[nodiscard]] Camera network_frame_for(const Camera& first);

/// The same for a first view that a caller gives. Empty if its own frame is the network's: it has a camera row, or its
/// distance is one that the models have seen, within 1%.
[[nodiscard]] std::optional<Camera> network_frame_for_given(const View& first);

}  // namespace p2mpp
