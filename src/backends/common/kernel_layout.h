#pragma once

#include <cstddef>
#include <cstdint>

namespace p2mpp {

/// Rows of all operands are zero-padded to a multiple of this many channels, so kernels need no remainder loops.
inline constexpr std::size_t kChannelGroup = 16;

[[nodiscard]] constexpr std::size_t padded_channels(std::size_t channels) {
  return (channels + kChannelGroup - 1) / kChannelGroup * kChannelGroup;
}

/// A view of sparse rows: row r sums weight[i] * x[column[i]] for i in [first[r], first[r + 1]).
struct SupportRows {
  const std::int32_t* first;
  const std::int32_t* column;
  const float* weight;
};

}  // namespace p2mpp
