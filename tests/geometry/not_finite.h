#pragma once

#include <limits>

namespace p2mpp::testing {

inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
inline constexpr float kInfinity = std::numeric_limits<float>::infinity();

}  // namespace p2mpp::testing
