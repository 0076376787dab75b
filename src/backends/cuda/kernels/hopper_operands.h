#pragma once

#include "backends/cuda/kernels/warpgroup.h"

// Writes features and states of the Hopper kernel to shared memory, and reads them as operands of its products. The
// 16-byte pieces of a column are operand_bytes(kHopperColumns, 8) apart.

namespace p2mpp::cuda {
namespace {

using TileSums = float[kHopperSums];

/// Operands in the element type of the maps.
template <class P>
struct HalfOperands {
  using Half = P;     ///< of the maps and the product with T1
  using Product = P;  ///< of the large products
  static constexpr bool kScaled = false;
  static constexpr int kPiece = 8;  ///< elements

  /// Stores eight features starting at the k-th. at: the column's first element.
  P2MPP_DEVICE static void store_features(const float (&values)[8], float /*gain*/, int k, unsigned char* at) {
    P::store(values, reinterpret_cast<typename P::Element*>(at + operand_bytes(kHopperColumns, k)));
  }

  P2MPP_DEVICE static void load(const unsigned char* from, float (&values)[kPiece]) {
    P::load(reinterpret_cast<const typename P::Element*>(from), values);
  }

  /// Writes max(sums, 0); with kAdds, adds the old contents.
  template <bool kAdds>
  P2MPP_DEVICE static void write_states(const TileSums& sums, const float (&/*gain*/)[2], float /*residual_gain*/,
                                        unsigned char* states) {
    const int eights = thread_index() / 32 * (kWarpChannels / kCoreDepth) + moved_eight(lane_index());
    unsigned char* at = states + operand_byte(kHopperColumns, moved_column(lane_index()), eights * kCoreDepth);
    P2MPP_UNROLL
    for (int tiles = 0; tiles < kHopperColumns / 16; ++tiles) {
      unsigned char* here = at + operand_byte(kHopperColumns, 16 * tiles, 0);
      std::uint32_t words[4];
      if constexpr (kAdds) load_matrices(words, here);
      P2MPP_UNROLL
      for (int i = 0; i < 4; ++i) {
        const int reg = 8 * tiles + moved_register(i);
        if constexpr (kAdds) {
          const FloatPair before = P::floats(words[i]);
          words[i] = P::pair(rectified(sums[reg]) + before.first, rectified(sums[reg + 1]) + before.second);
        } else {
          words[i] = P::rectified_pair(sums[reg], sums[reg + 1]);
        }
      }
      store_matrices(words, here);
    }
  }
};

/// fp8 operands from bf16 maps. stmatrix moves a thread's two channels of a column as one element, so they are adjacent
/// in the next layer's depth (channel_in_depth()).
struct Fp8Operands {
  using Half = Bf16;
  using Product = Fp8;
  static constexpr bool kScaled = true;
  static constexpr int kPiece = 16;

  P2MPP_DEVICE static void store_features(const float (&values)[8], float gain, int k, unsigned char* at) {
    Words<2> words;
    P2MPP_UNROLL
    for (int i = 0; i < 2; ++i) {
      words.at[i] = fp8_pair(gain * values[4 * i], gain * values[4 * i + 1]) |
                    fp8_pair(gain * values[4 * i + 2], gain * values[4 * i + 3]) << 16;
    }
    store_words(words, at + operand_bytes(kHopperColumns, k / kPiece * kCoreDepth) + k % kPiece);
  }

  P2MPP_DEVICE static void load(const unsigned char* from, float (&values)[kPiece]) {
    const Words<4> words = load_words<4>(from);
    P2MPP_UNROLL
    for (int i = 0; i < 8; ++i) {
      const FloatPair two = floats_of_fp8(words.at[i / 2] >> 16 * (i % 2) & 0xffff);
      values[2 * i] = two.first;
      values[2 * i + 1] = two.second;
    }
  }

  /// gain: for the thread's two channels. Matrix i of the four is tile i of eight columns.
  template <bool kAdds>
  P2MPP_DEVICE static void write_states(const TileSums& sums, const float (&gain)[2], float residual_gain,
                                        unsigned char* states) {
    unsigned char* at = states + operand_byte(kHopperColumns, lane_index(), thread_index() / 32 * kWarpChannels / 2);
    P2MPP_UNROLL
    for (int tiles = 0; tiles < kHopperColumns / 32; ++tiles) {
      unsigned char* here = at + operand_byte(kHopperColumns, 32 * tiles, 0);
      std::uint32_t words[4];
      if constexpr (kAdds) load_matrices(words, here);
      P2MPP_UNROLL
      for (int i = 0; i < 4; ++i) {
        std::uint32_t columns[2];
        P2MPP_UNROLL
        for (int column = 0; column < 2; ++column) {
          const int reg = 4 * (4 * tiles + i) + column;
          float first = gain[0] * rectified(sums[reg]);
          float second = gain[1] * rectified(sums[reg + 2]);
          if constexpr (kAdds) {
            const FloatPair before = floats_of_fp8(words[i] >> 16 * column & 0xffff);
            first += residual_gain * before.first;
            second += residual_gain * before.second;
          }
          columns[column] = fp8_pair(first, second);
        }
        words[i] = columns[0] | columns[1] << 16;
      }
      store_matrices(words, here);
    }
  }
};

}  // namespace
}  // namespace p2mpp::cuda
