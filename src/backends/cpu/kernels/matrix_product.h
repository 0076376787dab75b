#pragma once

// The product of kernels.h on Arm's BFMMLA. The instruction adds the product of 2 x 4 and 4 x 2 bf16 numbers to 2 x 2
// sums, which are one vector. 6 rows by 16 columns are 24 of 32 registers.

#include "backends/cpu/kernels/product.h"
#include "backends/cpu/kernels/table.h"

namespace p2mpp {
namespace {

constexpr std::size_t kMatrixDepth = 4;
constexpr int kMatrixRows = 2;
constexpr int kRowPairs = 3;
constexpr int kColumnPairs = 8;
constexpr std::size_t kMatrixColumns = 2 * kColumnPairs;

static_assert(kLargestRowGroup >= kMatrixRows && kLargestDepthGroup >= kMatrixDepth);
static_assert(kChannelGroup % kMatrixColumns == 0);  // so that every block is whole

// Two rows of four elements.
P2MPP_INLINE bfloat16x8_t load_row_pair(const Bfloat16* row, std::size_t stride) {
  bfloat16x4_t first;
  bfloat16x4_t second;
  std::memcpy(&first, row, sizeof first);
  std::memcpy(&second, row + stride, sizeof second);
  return vcombine_bf16(first, second);
}

// Two columns of four elements, in the order of PackedWeights.
P2MPP_INLINE bfloat16x8_t load_column_pair(const Bfloat16* from) {
  bfloat16x8_t columns;
  std::memcpy(&columns, from, sizeof columns);
  return columns;
}

template <int kPairs>
using MatrixSums = float32x4_t[kPairs][kColumnPairs];

template <int kPairs>
P2MPP_INLINE void add_matrices(MatrixSums<kPairs>& sums, const Bfloat16* rows, std::size_t stride, std::size_t depth,
                               const Bfloat16* weights) {
  for (std::size_t k = 0; k < depth; k += kMatrixDepth) {
    bfloat16x8_t pairs[kPairs];
    P2MPP_UNROLL
    for (int i = 0; i < kPairs; ++i) {
      pairs[i] = load_row_pair(rows + static_cast<std::size_t>(kMatrixRows * i) * stride + k, stride);
    }
    P2MPP_UNROLL
    for (int j = 0; j < kColumnPairs; ++j, weights += 2 * kMatrixDepth) {
      const bfloat16x8_t columns = load_column_pair(weights);
      P2MPP_UNROLL
      for (int i = 0; i < kPairs; ++i) sums[i][j] = vbfmmlaq_f32(sums[i][j], pairs[i], columns);
    }
  }
}

// Four sums of one row, from two matrices of sums.
P2MPP_INLINE Vector row_of_sums(float32x4_t left, float32x4_t right, bool second) {
  return second ? vcombine_f32(vget_high_f32(left), vget_high_f32(right))
                : vcombine_f32(vget_low_f32(left), vget_low_f32(right));
}

// Rows beyond the product's are computed if their number is odd, and not stored.
template <int kPairs>
void multiply_block_of_matrices(const Product<Bfloat16>& product, std::size_t column, const Bfloat16* weights) {
  MatrixSums<kPairs> sums;
  P2MPP_UNROLL
  for (int j = 0; j < kColumnPairs; ++j) {
    const float32x2_t start =
        product.bias != nullptr ? vld1_f32(product.bias + column + static_cast<std::size_t>(2 * j)) : vdup_n_f32(0);
    P2MPP_UNROLL
    for (int i = 0; i < kPairs; ++i) sums[i][j] = vcombine_f32(start, start);
  }
  for (int s = 0; s < product.segment_count; ++s) {
    add_matrices<kPairs>(sums, product.segments[s], product.row_stride, product.depth, weights);
    weights += product.depth * kMatrixColumns;
  }
  P2MPP_UNROLL
  for (int row = 0; row < kMatrixRows * kPairs; ++row) {
    if (row >= product.rows) continue;
    P2MPP_UNROLL
    for (int j = 0; j < kColumnPairs; j += 2) {
      const std::size_t at =
          static_cast<std::size_t>(row) * product.out_stride + column + static_cast<std::size_t>(2 * j);
      finish(product, at, row_of_sums(sums[row / 2][j], sums[row / 2][j + 1], row % 2 == 1));
    }
  }
}

template <int kPairs>
void multiply_rows_of_matrices(const Product<Bfloat16>& product) {
  const std::size_t depth = product.depth * static_cast<std::size_t>(product.segment_count);
  for (std::size_t column = product.first_column; column < product.last_column; column += kMatrixColumns) {
    multiply_block_of_matrices<kPairs>(product, column, product.weights + column * depth);
  }
}

// Selects the code compiled for this number of rows.
template <int kPairs = kRowPairs>
void multiply_matrices(const Product<Bfloat16>& product) {
  if constexpr (kPairs > 1) {
    if (product.rows <= kMatrixRows * (kPairs - 1)) return multiply_matrices<kPairs - 1>(product);
  }
  multiply_rows_of_matrices<kPairs>(product);
}

constexpr Kernels<Bfloat16> kMatrixTable = [] {
  Kernels<Bfloat16> kernels = kTable<Bfloat16>;
  kernels.tile_rows = kMatrixRows * kRowPairs;
  kernels.row_group = kMatrixRows;
  kernels.depth_group = kMatrixDepth;
  kernels.depth_step = kMatrixDepth;
  kernels.block_columns = kMatrixColumns;
  kernels.multiply = multiply_matrices<>;
  return kernels;
}();

}  // namespace
}  // namespace p2mpp
