#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace p2mpp {

/// The corners of a polygon's triangles, counted from 0.
using CornerTriangle = std::array<std::uint32_t, 3>;

/// Appends the N - 2 triangles of a polygon of N >= 3 corners, with its winding. A convex polygon becomes a fan around
/// its first corner. A concave one is cut ear by ear, in the plane that it lies in best, so that its triangles stay
/// inside. A polygon that crosses itself becomes a fan as far as it has no ear. Throws InputError if a concave polygon
/// has more than 1,000 corners, because its time grows with their square.
void append_polygon(std::span<const Eigen::Vector3d> corners, std::vector<CornerTriangle>& triangles);

}  // namespace p2mpp
