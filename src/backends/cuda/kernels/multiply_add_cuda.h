#pragma once

namespace p2mpp::cuda {
namespace {

/// sums[tile of channels] += weights * rows of one tile. Executed by all threads of the warp together.
template <class P, int kChannelTiles, int kRowTiles>
P2MPP_DEVICE void multiply_add_tile(float (*sums)[kRowTiles][4], int row_tile,
                                    const Weights<P::kParts> (&weights)[kChannelTiles], const Rows<P::kParts>& rows) {
  if constexpr (P::kSumsApart) {
    P2MPP_UNROLL
    for (int i = 0; i < kChannelTiles; ++i) {
      float step[4] = {0, 0, 0, 0};
      P2MPP_UNROLL
      for (int product = 0; product < kPartProducts<P::kParts>; ++product) {
        P::multiply_add(step, weights[i].part[weight_part(P::kParts, product)],
                        rows.part[row_part(P::kParts, product)]);
      }
      P2MPP_UNROLL
      for (int k = 0; k < 4; ++k) sums[i][row_tile][k] += step[k];
    }
  } else {
    P2MPP_UNROLL
    for (int product = 0; product < kPartProducts<P::kParts>; ++product) {
      P2MPP_UNROLL
      for (int i = 0; i < kChannelTiles; ++i) {
        P::multiply_add(sums[i][row_tile], weights[i].part[weight_part(P::kParts, product)],
                        rows.part[row_part(P::kParts, product)]);
      }
    }
  }
}

/// The same for all tiles of rows, from chunks of the rows.
template <class P, int kChannelTiles, int kRowTiles>
P2MPP_DEVICE void multiply_add_chunks(float (&sums)[kChannelTiles][kRowTiles][4],
                                      const Weights<P::kParts> (&weights)[kChannelTiles],
                                      const Words<P::kChunkWords> (&chunks)[kRowTiles]) {
  P2MPP_UNROLL
  for (int j = 0; j < kRowTiles; ++j) multiply_add_tile<P>(sums, j, weights, P::rows(chunks[j]));
}

}  // namespace
}  // namespace p2mpp::cuda
