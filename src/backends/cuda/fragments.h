#pragma once

#include "backends/common/host_device.h"
#include "backends/cuda/arithmetic.h"

namespace p2mpp {

// Which numbers of a product each of a warp's 32 threads (lanes) holds. The matrix instruction multiplies A [16,depth]
// by B [depth,8]; here A is weights, a row for each output channel, and B is activations, a column for each row (pixel,
// vertex, hypothesis) of the layer's input. Source: PTX ISA, "Matrix Fragments for mma.m16n8k8 / m16n8k16".
//
// The order of the depth is free as long as A and B agree. It is chosen so that the four lanes of a column read
// adjacent pieces of one row, 8 or 16 bytes each; and the order of output channels so that a lane ends up with four
// adjacent channels of a row, which it writes at once.

inline constexpr int kTileRows = 8;       ///< rows of the input that an instruction takes
inline constexpr int kTileChannels = 16;  ///< output channels of one instruction
inline constexpr int kPairChannels = 32;  ///< of a pair of tiles, whose channels interleave
inline constexpr int kFragmentWords = 4;  ///< 32-bit registers of a lane for a tile of A
inline constexpr int kLaneChannels = 4;   ///< adjacent output channels of a row that a lane holds of a pair of tiles

/// A lane's column of B, and its row within a group of eight rows of A.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int lane_group(int lane) { return lane / 4; }
/// A lane's place among the four that share a column.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int lane_member(int lane) { return lane % 4; }

/// First element of a row's `depth` that a lane reads; it reads depth / 4.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int first_element(int depth, int lane) {
  return lane_member(lane) * (depth / 4);
}

/// The element of the depth that a lane's register of A holds; `half`: 0, or 1 for the upper half of a register that
/// holds two.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int element_of_register(int depth, int lane, int reg, int half) {
  return first_element(depth, lane) + (depth == 8 ? reg / 2 : 2 * (reg / 2) + half);
}

/// The output channel, among the 32 of a pair of tiles, that a lane's register of A belongs to.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int channel_of_register(int tile, int lane, int reg) {
  return kLaneChannels * lane_group(lane) + 2 * tile + reg % 2;
}

/// The first of the four output channels, among the 32 of a pair of tiles, whose sums a lane holds.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int first_channel(int lane) { return kLaneChannels * lane_group(lane); }

/// A lane's sums of a tile: [0] and [1] are of the first channel (see channel_of_register()) and two adjacent rows, [2]
/// and [3] of the second. The first of the two rows, among the eight of a tile:
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int first_row(int lane) { return 2 * lane_member(lane); }

/// Where sums become an operand: the row of the tiles that a lane's register of B for them holds, in the order of
/// Sums::as_weights(). `depth` / 8 tiles of sums make one step.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int summed_row(int depth, int lane, int reg, int half) {
  return depth == 8 ? first_row(lane) + reg : kTileRows * reg + first_row(lane) + half;
}

/// Elements from one row to the next in shared memory for `elements` of them, so that no two lanes read the same bank:
/// an odd number of steps of a product.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int shared_stride(int elements, int depth) {
  const int steps = (elements + depth - 1) / depth;
  return (steps % 2 == 1 ? steps : steps + 1) * depth;
}

}  // namespace p2mpp
