#pragma once

#include "backends/common/host_device.h"
#include "backends/cuda/arithmetic.h"

namespace p2mpp {

// Maps the elements of a product to the registers of a warp's 32 threads (lanes). The matrix instruction multiplies A
// [16,depth] by B [depth,8]. Here A holds weights, one row per output channel, and B holds activations, one column per
// row of the layer's input (pixel, vertex or hypothesis). Source: PTX ISA, "Matrix Fragments for mma.m16n8k8 /
// m16n8k16".
//
// The depth may be permuted as long as A and B agree. It is permuted so that the four lanes of a column read adjacent
// pieces of one row, 8 or 16 bytes each. Output channels are permuted so that a lane holds four adjacent channels of a
// row and writes them at once.

inline constexpr int kTileRows = 8;       ///< input rows per instruction
inline constexpr int kPairChannels = 32;  ///< channels of a pair of tiles, which interleave
inline constexpr int kFragmentWords = 4;  ///< 32-bit registers per lane for a tile of A
inline constexpr int kLaneChannels = 4;   ///< adjacent output channels per lane and row in a pair of tiles

/// A lane's column of B, and its row within eight rows of A.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int lane_group(int lane) { return lane / 4; }
/// A lane's position among the four that share a column.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int lane_member(int lane) { return lane % 4; }

/// The first of the depth / 4 elements of a row that a lane reads.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int first_element(int depth, int lane) {
  return lane_member(lane) * (depth / 4);
}

/// The element of the depth in a lane's register of A. `half`: 1 for the upper half of a register that holds two
/// elements, else 0.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int element_of_register(int depth, int lane, int reg, int half) {
  return first_element(depth, lane) + (depth == 8 ? reg / 2 : 2 * (reg / 2) + half);
}

/// The output channel of a lane's register of A, within the 32 of a pair of tiles.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int channel_of_register(int tile, int lane, int reg) {
  return kLaneChannels * lane_group(lane) + 2 * tile + reg % 2;
}

/// The first of a lane's four output channels, within the 32 of a pair of tiles.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int first_channel(int lane) { return kLaneChannels * lane_group(lane); }

/// A lane's sums of a tile: [0] and [1] are two adjacent rows of the first channel (see channel_of_register()), [2] and
/// [3] the same rows of the second. Returns the first of the two rows, within the tile's eight.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int first_row(int lane) { return 2 * lane_member(lane); }

/// When sums become an operand: the row of the tiles in a lane's register of B, in the order of P::as_weights().
/// `depth` / 8 tiles of sums make one step.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int summed_row(int depth, int lane, int reg, int half) {
  return depth == 8 ? first_row(lane) + reg : kTileRows * reg + first_row(lane) + half;
}

/// The stride of rows with `elements` elements in shared memory. It is an odd number of steps, which avoids bank
/// conflicts.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int shared_stride(int elements, int depth) {
  const int steps = (elements + depth - 1) / depth;
  return (steps % 2 == 1 ? steps : steps + 1) * depth;
}

}  // namespace p2mpp
