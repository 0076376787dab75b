#pragma once

#include <Eigen/Core>
#include <span>

#include "hull/carving.h"
#include "image/mask_view.h"

namespace p2mpp {

// What may speak against a correction of cameras from their masks.

/// Whether points of structure from motion object: the corrected cameras see the object's points farther outside their
/// masks than the given ones do. `corrected`: the given silhouettes with other poses. False for fewer than 50 points.
[[nodiscard]] bool points_object(std::span<const Eigen::Vector3d> points, std::span<const MaskView> given,
                                 std::span<const MaskView> corrected);

/// Whether the photographs' pattern objects: patches of the hull's surface look less alike in the two cameras that see
/// them best than they do with the given poses and their hull. False if few patches have a pattern.
[[nodiscard]] bool pattern_objects(const Hull& given_hull, std::span<const MaskView> given, const Hull& corrected_hull,
                                   std::span<const MaskView> corrected);

}  // namespace p2mpp
