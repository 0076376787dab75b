#pragma once

// The product of kernels.h on the tiles of AMX: 32 rows by 32 columns of sums are four tiles. Two tiles of rows and two
// of weights make four products, so a step of 32 elements loads as many tiles as it multiplies.

#include "backends/cpu/kernels/product.h"
#include "backends/cpu/kernels/table.h"
#include "backends/cpu/kernels/tile.h"

namespace p2mpp {
namespace {

constexpr std::size_t kTileDepth = kBytesOfTileRow / sizeof(Bfloat16);
constexpr std::size_t kTileColumns = kBytesOfTileRow / sizeof(float);
constexpr std::size_t kTileBlockColumns = 2 * kTileColumns;
constexpr int kTileBlockRows = 2 * kRowsOfTile;

static_assert(kLargestRowGroup >= kRowsOfTile && kLargestDepthGroup >= kTileDepth);

// All tiles are whole. Rows and columns beyond the operands' are computed, and not stored.
void enter_tiles() {
  TileConfiguration configuration;
  for (int tile = 0; tile < kTileCount; ++tile) {
    configuration.row_bytes[tile] = kBytesOfTileRow;
    configuration.rows[tile] = kRowsOfTile;
  }
  Tile::configure(configuration);
}

void leave_tiles() { Tile::release(); }

// The sums of a block of columns, which are finished while the tiles multiply the next block.
struct FinishedBlock {
  alignas(64) float sums[kTileBlockRows][kTileBlockColumns];
  std::size_t column = 0;
  std::size_t width = 0;
  int next_row = 0;
};

// Bias and finish() for some more rows of a block.
P2MPP_INLINE void finish_rows(const Product<Bfloat16>& product, FinishedBlock& block, int count) {
  const int end = std::min(block.next_row + count, product.rows);
  for (; block.next_row < end; ++block.next_row) {
    const auto row = static_cast<std::size_t>(block.next_row);
    for (std::size_t i = 0; i < block.width; i += kLanes) {
      Vector value = load(&block.sums[row][i]);
      if (product.bias != nullptr) value += load(product.bias + block.column + i);
      finish(product, row * product.out_stride + block.column + i, value);
    }
  }
}

// The sums of one block of columns, two tiles wide or one. Meanwhile, `before` is finished.
template <bool kTwoOfRows, bool kTwoOfColumns>
void multiply_tiles(const Product<Bfloat16>& product, const Bfloat16* weights, FinishedBlock& before,
                    FinishedBlock& block) {
  constexpr std::size_t kWidth = kTwoOfColumns ? kTileBlockColumns : kTileColumns;
  constexpr std::size_t kPairStride = 2 * kWidth * sizeof(Bfloat16);
  const std::size_t row_stride = product.row_stride * sizeof(Bfloat16);
  const auto steps = static_cast<int>(product.depth / kTileDepth) * product.segment_count;
  const int rows_per_step = (product.rows + steps - 1) / steps;
  Tile::zero<0>();
  if constexpr (kTwoOfColumns) Tile::zero<1>();
  if constexpr (kTwoOfRows) Tile::zero<2>();
  if constexpr (kTwoOfRows && kTwoOfColumns) Tile::zero<3>();
  for (int s = 0; s < product.segment_count; ++s) {
    const Bfloat16* rows = product.segments[s];
    for (std::size_t k = 0; k < product.depth; k += kTileDepth, rows += kTileDepth) {
      Tile::load<4>(rows, row_stride);
      Tile::load<6>(weights, kPairStride);
      Tile::multiply_add<0, 4, 6>();
      if constexpr (kTwoOfColumns) {
        Tile::load<7>(weights + 2 * kTileColumns, kPairStride);
        Tile::multiply_add<1, 4, 7>();
      }
      if constexpr (kTwoOfRows) {
        Tile::load<5>(rows + kRowsOfTile * product.row_stride, row_stride);
        Tile::multiply_add<2, 5, 6>();
        if constexpr (kTwoOfColumns) Tile::multiply_add<3, 5, 7>();
      }
      weights += kTileDepth * kWidth;
      finish_rows(product, before, rows_per_step);
    }
  }
  constexpr std::size_t kSumsStride = sizeof block.sums[0];
  Tile::store<0>(&block.sums[0][0], kSumsStride);
  if constexpr (kTwoOfColumns) Tile::store<1>(&block.sums[0][kTileColumns], kSumsStride);
  if constexpr (kTwoOfRows) Tile::store<2>(&block.sums[kRowsOfTile][0], kSumsStride);
  if constexpr (kTwoOfRows && kTwoOfColumns) Tile::store<3>(&block.sums[kRowsOfTile][kTileColumns], kSumsStride);
}

template <bool kTwoOfRows>
void multiply_rows_of_tiles(const Product<Bfloat16>& product) {
  const std::size_t depth = product.depth * static_cast<std::size_t>(product.segment_count);
  FinishedBlock blocks[2];
  blocks[0].next_row = blocks[1].next_row = product.rows;
  int current = 0;
  for (std::size_t column = product.first_column; column < product.last_column; column += kTileBlockColumns) {
    FinishedBlock& block = blocks[current];
    current = 1 - current;
    const Bfloat16* weights = product.weights + column * depth;
    const bool is_wide = column + kTileBlockColumns <= product.last_column;
    (is_wide ? multiply_tiles<kTwoOfRows, true> : multiply_tiles<kTwoOfRows, false>)(product, weights, blocks[current],
                                                                                     block);
    block.column = column;
    block.width = is_wide ? kTileBlockColumns : kTileColumns;
    block.next_row = 0;
  }
  finish_rows(product, blocks[1 - current], product.rows);
}

void multiply_on_tiles(const Product<Bfloat16>& product) {
  product.rows > kRowsOfTile ? multiply_rows_of_tiles<true>(product) : multiply_rows_of_tiles<false>(product);
}

constexpr Kernels<Bfloat16> kTileTable = [] {
  Kernels<Bfloat16> kernels = kTable<Bfloat16>;
  kernels.tile_rows = kTileBlockRows;
  kernels.row_group = kRowsOfTile;
  kernels.depth_group = kTileDepth;
  kernels.block_columns = kTileBlockColumns;
  kernels.multiply = multiply_on_tiles;
  kernels.enter = enter_tiles;
  kernels.leave = leave_tiles;
  return kernels;
}();

}  // namespace
}  // namespace p2mpp
