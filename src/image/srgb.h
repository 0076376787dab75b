#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "p2mpp/mesh_texture.h"

namespace p2mpp {

/// Rounds to 8 bits. Less than 0 is 0, and more than 255 is 255.
[[nodiscard]] inline std::uint8_t to_byte(float value) {
  return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0F, 255.0F)));
}

/// Converts a linear value, clamped to [0, 1], to 8 bits of sRGB (IEC 61966-2-1), and back.
[[nodiscard]] std::uint8_t srgb_from_linear(float linear);
[[nodiscard]] float linear_from_srgb(std::uint8_t srgb);

/// Mixes 8-bit sRGB values in linear light: share 0 gives `from`, share 1 gives `to`, exactly. Precondition: equal
/// sizes.
void blend_srgb(std::span<const std::uint8_t> from, std::span<const std::uint8_t> to, float share,
                std::span<std::uint8_t> result);

/// Whether two textures have pictures of one size, and the same layout but for the rounding of a file.
[[nodiscard]] bool have_one_layout(const MeshTexture& a, const MeshTexture& b);

}  // namespace p2mpp
