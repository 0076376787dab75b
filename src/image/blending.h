#pragma once

#include <cstdint>
#include <span>

#include "p2mpp/mesh_texture.h"

namespace p2mpp {

/// Mixes 8-bit sRGB values in linear light: share 0 gives `from`, share 1 gives `to`, exactly. Precondition: equal
/// sizes.
void blend_srgb(std::span<const std::uint8_t> from, std::span<const std::uint8_t> to, float share,
                std::span<std::uint8_t> result);

/// Whether two textures have pictures of one size, and the same layout but for the rounding of a file.
[[nodiscard]] bool have_one_layout(const MeshTexture& a, const MeshTexture& b);

}  // namespace p2mpp
