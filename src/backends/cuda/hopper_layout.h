#pragma once

#include <cstddef>
#include <cstdint>

#include "backends/cuda/reasoning_layout.h"

// The index arithmetic of the Hopper kernel (sm_90a), which packing, kernel and tests share. Its products are wgmma: a
// warpgroup of four warps multiplies A [64,16], weights, a row for each output channel, by B [16,columns], activations,
// a column for each hypothesis. Both lie in shared memory "K-major without swizzling". Source: PTX ISA, "Asynchronous
// warpgroup-level matrix instructions": matrix descriptor, strides, register fragments.

namespace p2mpp {

inline constexpr int kWarpgroupThreads = 128;
inline constexpr int kWarpgroupChannels = 64;
inline constexpr int kWarpChannels = 16;
inline constexpr int kHopperDepth = 16;  ///< of one instruction, in elements of two bytes

// Depths are counted in elements of two bytes throughout. Of eight-bit elements two count as one: an instruction that
// goes through 32 of them reads the same bytes.

/// What so many elements of the depth count.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int depth_of_elements(Arithmetic arithmetic, int elements) {
  return elements * static_cast<int>(element_bytes(arithmetic)) / 2;
}

/// The output channel that is the k-th of the next layer's depth. In eight bits two channels of a thread's sums lie
/// side by side, since stmatrix transposes elements of two bytes.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int channel_in_depth(Arithmetic arithmetic, int k) {
  if (arithmetic != Arithmetic::kFp8) return k;
  return k / kWarpChannels * kWarpChannels + k % 2 * 8 + k % kWarpChannels / 2;
}

// An operand consists of core matrices, 8 rows (A) or columns (B) by 16 bytes of the depth, 128 bytes in a row each.
inline constexpr int kCoreDepth = 8;  ///< elements
inline constexpr int kCoreRowBytes = 16;
inline constexpr int kCoreBytes = 8 * kCoreRowBytes;

/// Where an element of an operand with so many rows (or columns) lies: eight elements of the depth of all rows, then
/// the next eight. So whatever the kernel writes or reads along the rows takes all banks in turn.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int operand_byte(int rows, int row, int k) {
  return k / kCoreDepth * rows * kCoreRowBytes + row * kCoreRowBytes + k % kCoreDepth * 2;
}
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int operand_bytes(int rows, int depth) { return rows * depth * 2; }

/// The matrix descriptor of an operand whose first row and element lie at `address` of the shared memory, a multiple of
/// 16: bits 0 to 13 the address, 16 to 29 the leading offset (from a core matrix to the next along the depth), 32 to 45
/// the stride offset (along the rows), all in 16 bytes; 62 and 63 zero: no swizzling.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr std::uint64_t operand_descriptor(std::uint32_t address, int rows) {
  const auto leading = static_cast<std::uint64_t>(rows);
  return std::uint64_t{(address & 0x3ffffU) >> 4U} | leading << 16U | std::uint64_t{kCoreBytes >> 4U} << 32U;
}

/// What is added to a descriptor to go so many bytes, a multiple of 16, further.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr std::uint64_t descriptor_step(int bytes) {
  return static_cast<std::uint64_t>(bytes) >> 4U;
}

/// The output channel, among the warpgroup's 64, and the column that a thread's sum in register `reg` belongs to. Four
/// registers are a tile of eight columns.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int channel_of_sum(int warpgroup_thread, int reg) {
  return warpgroup_thread / 32 * kWarpChannels + lane_group(warpgroup_thread % 32) + 8 * (reg / 2 % 2);
}
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int column_of_sum(int lane, int reg) {
  return reg / 4 * 8 + 2 * lane_member(lane) + reg % 2;
}

/// Where sums become an operand A of 16 columns' depth: the register of sums that half `half` of its register `reg`
/// takes in step `step`.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int summed_register(int step, int reg, int half) {
  return 4 * (2 * step + reg / 2) + 2 * (reg % 2) + half;
}

/// stmatrix and ldmatrix, transposed, move four 8x8 matrices: of two tiles of columns the warp's lower and upper eight
/// channels. A lane gives the place of one column's eight channels: which column, counted from the first tile's first,
/// and which of the two eights. Matrix i is registers 4 * (i / 2) + 2 * (i % 2) and the next of two tiles' sums.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int moved_column(int lane) { return lane / 16 * 8 + lane % 8; }
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int moved_eight(int lane) { return lane / 8 % 2; }
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int moved_register(int matrix) { return 4 * (matrix / 2) + 2 * (matrix % 2); }

inline constexpr int kHopperColumns = 192;              ///< that a block computes together
inline constexpr int kHopperSums = kHopperColumns / 2;  ///< registers of a thread
inline constexpr int kMostWarpgroups = 3;               ///< more have too few registers
inline constexpr int kWeightDepth = 32;                 ///< that a stage of the weights' pipeline holds
inline constexpr int kWeightStages = 6;

// A vertex's share of a block, whose hypotheses take so many columns, hypothesis_rows(): 48 or 64.

[[nodiscard]] P2MPP_HOST_DEVICE constexpr int hopper_vertices(int rows) { return kHopperColumns / rows; }
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int vertex_sums(int rows) { return rows / 2; }
/// Steps of the product with T1.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int support_steps(int rows) { return rows / kHopperDepth; }

/// Output channels, padded so that every warpgroup has as many.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int hopper_hidden(int hidden) {
  return (hidden + kWarpgroupChannels - 1) / kWarpgroupChannels * kWarpgroupChannels;
}

/// A warpgroup for 64 channels each, and one that fetches weights.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int hopper_threads(int hidden) {
  return (hidden / kWarpgroupChannels + 1) * kWarpgroupThreads;
}

/// Registers that a thread has after the warpgroup that fetches has handed the others what it does not need.
inline constexpr int kComputingRegisters = 160;
inline constexpr int kFetchingRegisters = 24;
static_assert(kWarpgroupThreads * (kMostWarpgroups * kComputingRegisters + kFetchingRegisters) <= 65536);

/// Where a block's numbers lie in its shared memory, in bytes from its start.
struct HopperLayout {
  int feature_depth;   ///< of the first layer, padded to kWeightDepth; in fp8 without the point
  int point_depth;     ///< fp8: kWeightDepth, of an operand of its own in bf16; else 0
  int state_depth;     ///< of the other layers
  int point_features;  ///< where that operand lies
  int second_states;   ///< of odd layers; those of even ones begin at 0, as the features do
  int positions;       ///< PixelPosition [vertices][views][rows], where states are later
  int weights;         ///< the stages
  int stage_bytes;
  int support;   ///< T1 as an operand [rows,rows]
  int products;  ///< float [2][columns]: of the last layer
  int scores;    ///< float [columns]
  int barriers;  ///< 64 bits each: a stage is full, a stage is empty
  int bytes;

  /// features: of a row, of which the point begins at point_column; hidden: hopper_hidden(); rows: hypothesis_rows().
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
    const int sampled = layout.positions + kPosition * kHopperColumns * kMaxCudaViews;
    layout.weights = 2 * layout.second_states > sampled ? 2 * layout.second_states : sampled;
    layout.stage_bytes = operand_bytes(hidden, kWeightDepth);
    layout.support = layout.weights + kWeightStages * layout.stage_bytes;
    layout.products = layout.support + operand_bytes(rows, rows);
    layout.scores = layout.products + kFloat * 2 * kHopperColumns;
    layout.barriers = layout.scores + kFloat * kHopperColumns;
    layout.bytes = layout.barriers + 8 * 2 * kWeightStages;
    return layout;
  }
};

/// Whether the kernel computes these sizes with so much shared memory.
[[nodiscard]] constexpr bool fits_hopper(Arithmetic arithmetic, int features, int point_column, int hidden, int rows,
                                         std::size_t shared_bytes) {
  return element_bytes(arithmetic) <= 2 && hopper_hidden(hidden) <= kMostWarpgroups * kWarpgroupChannels &&
         static_cast<std::size_t>(
             HopperLayout::of(arithmetic, features, point_column, hopper_hidden(hidden), rows).bytes) <= shared_bytes;
}

static_assert(fits_hopper(Arithmetic::kBf16, 352, 336, 192, 48, 227 * 1024), "the published sizes");
static_assert(fits_hopper(Arithmetic::kBf16, 352, 336, 192, 64, 227 * 1024), "the same with more hypotheses");

}  // namespace p2mpp
