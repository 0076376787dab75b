#pragma once

#include <algorithm>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

[[nodiscard]] inline bool all_finite(const Points& points) {
  return std::ranges::all_of(points, [](const Eigen::Vector3f& point) { return point.allFinite(); });
}

}  // namespace p2mpp
