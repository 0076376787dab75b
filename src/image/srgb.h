#pragma once

#include <cstdint>

namespace p2mpp {

/// Converts a linear value, clamped to [0, 1], to 8 bits of sRGB (IEC 61966-2-1), and back.
[[nodiscard]] std::uint8_t srgb_from_linear(float linear);
[[nodiscard]] float linear_from_srgb(std::uint8_t srgb);

}  // namespace p2mpp
