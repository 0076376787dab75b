#pragma once

#include <cstddef>
#include <cstdint>

#include "backends/cuda/reasoning_layout.h"

// Index arithmetic of the Hopper kernel (sm_90a), shared by the packing, the kernel and the tests. The products are
// wgmma: a warpgroup of four warps multiplies A [64,16] by B [16,columns]. A holds weights, one row per output channel;
// B holds activations, one column per hypothesis. Both are in shared memory, "K-major without swizzling". Source: PTX
// ISA, "Asynchronous warpgroup-level matrix instructions": matrix descriptor, strides, register fragments.

namespace p2mpp {

inline constexpr int kWarpgroupThreads = 128;
inline constexpr int kWarpgroupChannels = 64;
inline constexpr int kWarpChannels = 16;
inline constexpr int kHopperDepth = 16;  ///< depth of one instruction, in two-byte elements

// Depths are counted in two-byte elements throughout. Two one-byte elements count as one: an instruction with a depth
// of 32 one-byte elements reads the same bytes.

/// The depth that `elements` elements occupy.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int depth_of_elements(Arithmetic arithmetic, int elements) {
  return elements * static_cast<int>(element_bytes(arithmetic)) / 2;
}

/// The output channel at position k of the next layer's depth. In fp8 a thread's two channels are adjacent because
/// stmatrix transposes two-byte elements.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int channel_in_depth(Arithmetic arithmetic, int k) {
  if (arithmetic != Arithmetic::kFp8) return k;
  return k / kWarpChannels * kWarpChannels + k % 2 * 8 + k % kWarpChannels / 2;
}

// An operand consists of core matrices of 8 rows (A) or columns (B) by 16 bytes of depth, each in 128
// contiguous bytes.
inline constexpr int kCoreDepth = 8;  ///< elements
inline constexpr int kCoreRowBytes = 16;
inline constexpr int kCoreBytes = 8 * kCoreRowBytes;

/// The byte offset of an element in an operand with `rows` rows (or columns): eight elements of depth for all rows,
/// then the next eight. Accesses along the rows therefore use all banks in turn.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int operand_byte(int rows, int row, int k) {
  return k / kCoreDepth * rows * kCoreRowBytes + row * kCoreRowBytes + k % kCoreDepth * 2;
}
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int operand_bytes(int rows, int depth) { return rows * depth * 2; }

/// The matrix descriptor of an operand that starts at `address` in shared memory, a multiple of 16. Bits 0 to 13: the
/// address; 16 to 29: the leading offset (to the next core matrix along the depth); 32 to 45: the stride offset (along
/// the rows), all in units of 16 bytes; 62 and 63: zero, no swizzling.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr std::uint64_t operand_descriptor(std::uint32_t address, int rows) {
  const auto leading = static_cast<std::uint64_t>(rows);
  return std::uint64_t{(address & 0x3ffffU) >> 4U} | leading << 16U | std::uint64_t{kCoreBytes >> 4U} << 32U;
}

/// The increment that advances a descriptor by `bytes`, a multiple of 16.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr std::uint64_t descriptor_step(int bytes) {
  return static_cast<std::uint64_t>(bytes) >> 4U;
}

/// The output channel, within the warpgroup's 64, and the column of the sum in a thread's register `reg`. Four
/// registers are a tile of eight columns.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int channel_of_sum(int warpgroup_thread, int reg) {
  return warpgroup_thread / 32 * kWarpChannels + lane_group(warpgroup_thread % 32) + 8 * (reg / 2 % 2);
}
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int column_of_sum(int lane, int reg) {
  return reg / 4 * 8 + 2 * lane_member(lane) + reg % 2;
}

/// When sums become an operand A with a depth of 16 columns: the register of sums for half `half` of register `reg` in
/// step `step`.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int summed_register(int step, int reg, int half) {
  return 4 * (2 * step + reg / 2) + 2 * (reg % 2) + half;
}

/// stmatrix and ldmatrix, transposed, move four 8x8 matrices: the warp's lower and upper eight channels of two tiles of
/// columns. Each lane provides the address of one column's eight channels: moved_column() is the column, counted from
/// the first tile's first, and moved_eight() selects the lower or upper channels. Matrix i is in register
/// moved_register(i) and the next one of the two tiles' sums.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int moved_column(int lane) { return lane / 16 * 8 + lane % 8; }
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int moved_eight(int lane) { return lane / 8 % 2; }
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int moved_register(int matrix) { return 4 * (matrix / 2) + 2 * (matrix % 2); }

inline constexpr int kHopperColumns = 192;              ///< columns that a block computes together
inline constexpr int kHopperSums = kHopperColumns / 2;  ///< registers per thread that hold sums
inline constexpr int kMostWarpgroups = 3;               ///< more would leave too few registers
inline constexpr int kWeightDepth = 32;                 ///< depth of one buffer of weights
inline constexpr int kWeightBuffers = 6;

// The share of one vertex in a block. Its hypotheses take hypothesis_rows() columns: 48 or 64.

[[nodiscard]] P2MPP_HOST_DEVICE constexpr int hopper_vertices(int rows) { return kHopperColumns / rows; }
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int vertex_sums(int rows) { return rows / 2; }
/// Steps of the product with T1.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int support_steps(int rows) { return rows / kHopperDepth; }

/// Output channels, padded to fill every warpgroup.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int hopper_hidden(int hidden) {
  return (hidden + kWarpgroupChannels - 1) / kWarpgroupChannels * kWarpgroupChannels;
}

/// One warpgroup per 64 channels, and one that fetches weights.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int hopper_threads(int hidden) {
  return (hidden / kWarpgroupChannels + 1) * kWarpgroupThreads;
}

/// Registers per thread after the fetching warpgroup has given some of its registers to the others.
inline constexpr int kComputingRegisters = 160;
inline constexpr int kFetchingRegisters = 24;
static_assert(kWarpgroupThreads * (kMostWarpgroups * kComputingRegisters + kFetchingRegisters) <= 65536);

/// The layout of a block's shared memory: offsets in bytes.
struct HopperLayout {
  int feature_depth;   ///< of the first layer, padded to kWeightDepth; in fp8 without the point
  int point_depth;     ///< fp8: kWeightDepth, for the point's separate bf16 operand; else 0
  int state_depth;     ///< of the other layers
  int point_features;  ///< offset of the point's operand
  int second_states;   ///< states of odd layers; those of even layers start at 0, like the features
  int positions;       ///< PixelPosition [vertices][views][rows]; states overwrite them later
  int weights;         ///< ring of kWeightBuffers buffers
  int buffer_bytes;
  int support;   ///< T1 as an operand [rows,rows]
  int products;  ///< float [2][columns], of the last layer
  int scores;    ///< float [columns]
  int barriers;  ///< 64 bits each: buffer full, then buffer empty
  int bytes;

  /// features: of a row, including the point, which starts at point_column; hidden: hopper_hidden(); rows:
  /// hypothesis_rows().
  [[nodiscard]] P2MPP_HOST_DEVICE static constexpr HopperLayout of(Arithmetic arithmetic, int features,
                                                                   int point_column, int hidden, int rows) {
    constexpr int kFloat = 4;     // bytes
    constexpr int kPosition = 8;  // bytes
    const bool apart = arithmetic == Arithmetic::kFp8;
    const int depth = depth_of_elements(arithmetic, apart ? point_column : features);
    HopperLayout layout{};
    layout.feature_depth = (depth + kWeightDepth - 1) / kWeightDepth * kWeightDepth;
    layout.point_depth = apart ? kWeightDepth : 0;
    layout.state_depth = depth_of_elements(arithmetic, hidden);
    layout.second_states = operand_bytes(kHopperColumns, layout.state_depth);
    layout.point_features = operand_bytes(kHopperColumns, layout.feature_depth);
    layout.positions = layout.point_features + operand_bytes(kHopperColumns, layout.point_depth);
    const int sampled = layout.positions + kPosition * kHopperColumns * kViewsAtOnce;
    layout.weights = 2 * layout.second_states > sampled ? 2 * layout.second_states : sampled;
    layout.buffer_bytes = operand_bytes(hidden, kWeightDepth);
    layout.support = layout.weights + kWeightBuffers * layout.buffer_bytes;
    layout.products = layout.support + operand_bytes(rows, rows);
    layout.scores = layout.products + kFloat * 2 * kHopperColumns;
    layout.barriers = layout.scores + kFloat * kHopperColumns;
    layout.bytes = layout.barriers + 8 * 2 * kWeightBuffers;
    return layout;
  }
};

/// Whether the kernel supports these sizes with `shared_bytes` of shared memory per block.
[[nodiscard]] constexpr bool fits_hopper(Arithmetic arithmetic, int features, int point_column, int hidden, int rows,
                                         std::size_t shared_bytes) {
  return element_bytes(arithmetic) <= 2 && hopper_hidden(hidden) <= kMostWarpgroups * kWarpgroupChannels &&
         static_cast<std::size_t>(
             HopperLayout::of(arithmetic, features, point_column, hopper_hidden(hidden), rows).bytes) <= shared_bytes;
}

static_assert(fits_hopper(Arithmetic::kBf16, 352, 336, 192, 48, 227 * 1024), "the published sizes");
static_assert(fits_hopper(Arithmetic::kBf16, 352, 336, 192, 64, 227 * 1024), "the same with more hypotheses");

}  // namespace p2mpp
