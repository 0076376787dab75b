#pragma once

#include <cstdint>

namespace p2mpp {

/// A pixel of a picture without transparency or another known background is the object's if one of its colours is below
/// this. A JPEG's white is not quite 255.
inline constexpr std::uint8_t kNotWhite = 250;

}  // namespace p2mpp
