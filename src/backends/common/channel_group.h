#pragma once

#include <cstddef>

namespace p2mpp {

/// Rows of all operands are zero-padded to a multiple of this many channels, so kernels need no remainder loops.
inline constexpr std::size_t kChannelGroup = 16;

[[nodiscard]] constexpr std::size_t padded_channels(std::size_t channels) {
  return (channels + kChannelGroup - 1) / kChannelGroup * kChannelGroup;
}

}  // namespace p2mpp
