#pragma once

#include <cstdint>

namespace p2mpp {

/// In a picture without transparency or another known background, a pixel is the object's if one of its colours is
/// below this: a JPEG's white is not quite 255.
inline constexpr std::uint8_t kNotWhite = 250;

}  // namespace p2mpp
