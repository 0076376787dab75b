#pragma once

#include <cstddef>

namespace p2mpp {

/// The default of --max-pixels: 1 GiB of decoded images.
inline constexpr std::size_t kMaxPixelsInWork = std::size_t{1} << 28;

}  // namespace p2mpp
