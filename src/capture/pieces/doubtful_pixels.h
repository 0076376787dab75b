#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "image/mask_view.h"

namespace p2mpp {

inline constexpr double kPieceDepth = 0.1;  ///< of a piece, at most, as a share of the silhouette's side
inline constexpr int kSliver = 4;           ///< pixels around what was filled that may be missing, too

/// A pixel that was filled, and its coverage before.
struct FilledPixel {
  std::size_t pixel = 0;
  std::uint8_t before = 0;
};

/// The pixels outside a mask where a piece may be missing, [width, width], 1 or 0; empty if there is none. There the
/// photograph shows no outline, or pixels around were filled, and it is as bright as the object rather than as the
/// background. Without brightness, or if the photograph's outline is not to be trusted, none is.
[[nodiscard]] std::vector<std::uint8_t> doubtful_pixels(const MaskView& silhouette,
                                                        std::span<const FilledPixel> filled);

}  // namespace p2mpp
