#pragma once

#include <numbers>

namespace p2mpp {

inline constexpr double kRadiansPerDegree = std::numbers::pi / 180;
inline constexpr double kDegreesPerRadian = 180 / std::numbers::pi;

}  // namespace p2mpp
