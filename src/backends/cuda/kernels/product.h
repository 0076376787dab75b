#pragma once

#include "backends/cuda/kernels/arithmetic.h"

// The inner loop of all products. A warp computes some pairs of tiles of output channels by some tiles of rows, with
// the sums in registers. It loads weights from global memory in storage order (packed_weights.h), one step ahead.

namespace p2mpp::cuda {
namespace {

template <int kPairs, int kRowTiles>
struct Sums {
  float at[2 * kPairs][kRowTiles][4];

  P2MPP_DEVICE void clear() {
    P2MPP_UNROLL
    for (int i = 0; i < 2 * kPairs; ++i) {
      P2MPP_UNROLL
      for (int j = 0; j < kRowTiles; ++j) {
        P2MPP_UNROLL
        for (int k = 0; k < 4; ++k) at[i][j][k] = 0;
      }
    }
  }

  /// The lane's four channels of a pair, for the first or second of its two rows in a tile.
  P2MPP_DEVICE void take(int pair, int row_tile, int second, float (&values)[4]) const {
    P2MPP_UNROLL
    for (int tile = 0; tile < 2; ++tile) {
      values[2 * tile] = at[2 * pair + tile][row_tile][second];
      values[2 * tile + 1] = at[2 * pair + tile][row_tile][2 + second];
    }
  }
};

/// 32-bit words of the weights of a pair of tiles for one step.
template <class P>
inline constexpr int kPairWords = 2 * P::kParts * 32 * kFragmentWords;

template <class P, int kPairs>
P2MPP_DEVICE void load_weights(const std::uint32_t* step, int pair_stride, Weights<P::kParts> (&weights)[2 * kPairs]) {
  P2MPP_UNROLL
  for (int i = 0; i < 2 * kPairs; ++i) {
    P2MPP_UNROLL
    for (int part = 0; part < P::kParts; ++part) {
      const std::uint32_t* from =
          step + i / 2 * pair_stride + ((i % 2 * P::kParts + part) * 32 + lane_index()) * kFragmentWords;
      const Words<4> words = load_constant_words<4>(from);
      P2MPP_UNROLL
      for (int reg = 0; reg < 4; ++reg) weights[i].part[part][reg] = words.at[reg];
    }
  }
}

/// Adds `steps` steps of a product (at least one) to the sums. weights: of the first pair and step. pair_stride: words
/// from one pair to the next. Cursor: reads the rows; chunk(tile) returns those of the current step and next()
/// advances. kAhead: the cursor reads from global memory, so its rows are loaded one step ahead, too.
template <class P, int kPairs, int kRowTiles, class Cursor>
P2MPP_DEVICE void multiply(Sums<kPairs, kRowTiles>& sums, const std::uint32_t* weights, int pair_stride, int steps,
                           Cursor& cursor) {
  using Chunks = Words<P::kChunkWords>[kRowTiles];
  const auto load_chunks = [&cursor](Chunks& chunks) {
    P2MPP_UNROLL
    for (int j = 0; j < kRowTiles; ++j) chunks[j] = cursor.chunk(j);
  };
  Weights<P::kParts> current[2 * kPairs];
  Chunks chunks;
  load_weights<P, kPairs>(weights, pair_stride, current);
  if constexpr (Cursor::kAhead) load_chunks(chunks);
  P2MPP_UNROLL_TWICE
  for (int step = 1; step <= steps; ++step) {
    // The last step reloads the current data without using it, which is cheaper than a branch.
    const bool more = step < steps;
    weights += more ? kPairWords<P> : 0;
    Weights<P::kParts> next[2 * kPairs];
    load_weights<P, kPairs>(weights, pair_stride, next);
    if constexpr (Cursor::kAhead) {
      if (more) cursor.next();
      Chunks next_chunks;
      load_chunks(next_chunks);
      multiply_add_chunks<P>(sums.at, current, chunks);
      P2MPP_UNROLL
      for (int j = 0; j < kRowTiles; ++j) chunks[j] = next_chunks[j];
    } else {
      load_chunks(chunks);
      multiply_add_chunks<P>(sums.at, current, chunks);
      cursor.next();
    }
    P2MPP_UNROLL
    for (int i = 0; i < 2 * kPairs; ++i) current[i] = next[i];
  }
}

/// Reads rows from shared memory: the lane's column of each tile.
template <class P>
struct SharedCursor {
  static constexpr bool kAhead = false;

  const typename P::Element* at;  ///< the lane's piece of its row in the first tile
  int tile_stride;                ///< elements from a row of one tile to the same row of the next

  /// rows [.., stride], starting at row 0 and element 0.
  P2MPP_DEVICE SharedCursor(const typename P::Element* rows, int stride)
      : at(rows + lane_group(lane_index()) * stride + first_element(P::kDepth, lane_index())),
        tile_stride(kTileRows * stride) {}

  P2MPP_DEVICE Words<P::kChunkWords> chunk(int tile) const {
    return load_words<P::kChunkWords>(at + tile * tile_stride);
  }
  P2MPP_DEVICE void next() { at += P::kDepth; }
};

}  // namespace
}  // namespace p2mpp::cuda
