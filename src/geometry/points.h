#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <span>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

[[nodiscard]] inline bool all_finite(const Points& points) {
  return std::ranges::all_of(points, [](const Eigen::Vector3f& point) { return point.allFinite(); });
}

/// Empty if there are no points.
[[nodiscard]] inline Eigen::AlignedBox3f box_of(std::span<const Eigen::Vector3f> points) {
  Eigen::AlignedBox3f box;
  for (const Eigen::Vector3f& point : points) box.extend(point);
  return box;
}

}  // namespace p2mpp
