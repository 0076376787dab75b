#pragma once

#include "backends/cuda/fragments.h"
#include "backends/cuda/kernels/target.h"
#include "backends/cuda/numbers.h"

// The differences between arithmetics: how operands are stored, how they become fragments and which instruction
// multiplies them. See backends/cuda/arithmetic.h and backends/cuda/fragments.h.

namespace p2mpp::cuda {
namespace {

/// A lane's fragments. Parts: the numbers that an operand is split into, the larger one first.
template <int kParts>
struct Weights {
  std::uint32_t part[kParts][4];
};
template <int kParts>
struct Rows {
  std::uint32_t part[kParts][2];
};

/// Shared by the arithmetics with float operands.
struct FloatElements {
  using Element = float;
  static constexpr int kPiece = 4;  ///< elements in 16 bytes

  P2MPP_DEVICE static void load(const float* from, float (&values)[4]) {
    const Words<4> words = load_words<4>(from);
    P2MPP_UNROLL
    for (int i = 0; i < 4; ++i) values[i] = float_from_bits(words.at[i]);
  }
  P2MPP_DEVICE static void store(const float (&values)[4], float* to) {
    Words<4> words;
    P2MPP_UNROLL
    for (int i = 0; i < 4; ++i) words.at[i] = bits_from(values[i]);
    store_words(words, to);
  }
  P2MPP_DEVICE static float to_float(float value) { return value; }
  P2MPP_DEVICE static float root(float value) { return sqrtf(value); }
};

struct Fp32 : FloatElements {
  static constexpr Arithmetic kArithmetic = Arithmetic::kFp32;
  static constexpr int kDepth = 8;
  static constexpr int kParts = 2;
  static constexpr int kChunkWords = 2;
  // Tensor cores truncate sums. Each step's sum therefore starts at zero and is added with an ordinary, rounding
  // addition.
  static constexpr bool kSumsApart = true;

  P2MPP_DEVICE static void split(float value, std::uint32_t& larger, std::uint32_t& smaller) {
    larger = tf32_from(value);
    smaller = tf32_from(value - float_from_bits(larger));
  }
  P2MPP_DEVICE static Rows<2> rows(const Words<2>& chunk) {
    Rows<2> rows;
    P2MPP_UNROLL
    for (int i = 0; i < 2; ++i) split(float_from_bits(chunk.at[i]), rows.part[0][i], rows.part[1][i]);
    return rows;
  }
  P2MPP_DEVICE static Weights<2> as_weights(const float (*sums)[4]) {
    Weights<2> weights;
    P2MPP_UNROLL
    for (int i = 0; i < 4; ++i) split(sums[0][i % 2 * 2 + i / 2], weights.part[0][i], weights.part[1][i]);
    return weights;
  }
#if defined(__CUDACC__)
  P2MPP_DEVICE static void multiply_add(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
    multiply_add_tf32(d, a, b);
  }
#endif
};

struct Tf32 : FloatElements {
  static constexpr Arithmetic kArithmetic = Arithmetic::kTf32;
  static constexpr int kDepth = 8;
  static constexpr int kParts = 1;
  static constexpr int kChunkWords = 2;
  static constexpr bool kSumsApart = false;

  /// Rounds when writing, so that reading costs nothing.
  P2MPP_DEVICE static void store(const float (&values)[4], float* to) {
    Words<4> words;
    P2MPP_UNROLL
    for (int i = 0; i < 4; ++i) words.at[i] = tf32_from(values[i]);
    store_words(words, to);
  }
  P2MPP_DEVICE static Rows<1> rows(const Words<2>& chunk) { return {{{chunk.at[0], chunk.at[1]}}}; }
  P2MPP_DEVICE static Weights<1> as_weights(const float (*sums)[4]) {
    Weights<1> weights;
    P2MPP_UNROLL
    for (int i = 0; i < 4; ++i) weights.part[0][i] = tf32_from(sums[0][i % 2 * 2 + i / 2]);
    return weights;
  }
#if defined(__CUDACC__)
  P2MPP_DEVICE static void multiply_add(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
    multiply_add_tf32(d, a, b);
  }
#endif
};

struct Bf16x3 : FloatElements {
  static constexpr Arithmetic kArithmetic = Arithmetic::kBf16x3;
  static constexpr int kDepth = 16;
  static constexpr int kParts = 2;
  static constexpr int kChunkWords = 4;
  static constexpr bool kSumsApart = false;

  P2MPP_DEVICE static Rows<2> rows(const Words<4>& chunk) {
    Rows<2> rows;
    P2MPP_UNROLL
    for (int i = 0; i < 2; ++i) {
      const float first = float_from_bits(chunk.at[2 * i]);
      const float second = float_from_bits(chunk.at[2 * i + 1]);
      rows.part[0][i] = bf16_pair(first, second);
      const FloatPair kept = floats_of_bf16(rows.part[0][i]);
      rows.part[1][i] = bf16_pair(first - kept.first, second - kept.second);
    }
    return rows;
  }
#if defined(__CUDACC__)
  P2MPP_DEVICE static void multiply_add(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
    multiply_add_bf16(d, a, b);
  }
#endif
};

/// Shared by bf16 and fp16. TwoFloats: converts two floats to a word and back.
template <class TwoFloats>
struct HalfElements : TwoFloats {
  using TwoFloats::floats, TwoFloats::pair, TwoFloats::rectified_pair;
  using typename TwoFloats::Element;
  static constexpr int kPiece = 8;
  static constexpr int kDepth = 16;
  static constexpr int kParts = 1;
  static constexpr int kChunkWords = 2;
  static constexpr bool kSumsApart = false;

  template <int kCount>
  P2MPP_DEVICE static void load(const Element* from, float (&values)[kCount]) {
    const auto words = load_words<kCount / 2>(from);
    P2MPP_UNROLL
    for (int i = 0; i < kCount / 2; ++i) {
      const FloatPair two = floats(words.at[i]);
      values[2 * i] = two.first;
      values[2 * i + 1] = two.second;
    }
  }
  template <int kCount>
  P2MPP_DEVICE static void store(const float (&values)[kCount], Element* to) {
    Words<kCount / 2> words;
    P2MPP_UNROLL
    for (int i = 0; i < kCount / 2; ++i) words.at[i] = pair(values[2 * i], values[2 * i + 1]);
    store_words(words, to);
  }
  /// An approximation suffices because the result is rounded to 16 bits.
  P2MPP_DEVICE static float root(float value) { return approximate_root(value); }
  P2MPP_DEVICE static float to_float(Element value) { return floats(static_cast<std::uint32_t>(value)).first; }
  P2MPP_DEVICE static Rows<1> rows(const Words<2>& chunk) { return {{{chunk.at[0], chunk.at[1]}}}; }
  P2MPP_DEVICE static Weights<1> as_weights(const float (*sums)[4]) {
    Weights<1> weights;
    P2MPP_UNROLL
    for (int i = 0; i < 4; ++i) {
      const float(&tile)[4] = sums[i / 2];
      weights.part[0][i] = pair(tile[i % 2 * 2], tile[i % 2 * 2 + 1]);
    }
    return weights;
  }
};

struct Bf16Pair {
  using Element = Bfloat16;
  P2MPP_DEVICE static std::uint32_t pair(float first, float second) { return bf16_pair(first, second); }
  P2MPP_DEVICE static std::uint32_t rectified_pair(float first, float second) {
    return rectified_bf16_pair(first, second);
  }
  P2MPP_DEVICE static FloatPair floats(std::uint32_t pair) { return floats_of_bf16(pair); }
};
struct Fp16Pair {
  using Element = Float16;
  P2MPP_DEVICE static std::uint32_t pair(float first, float second) { return f16_pair(first, second); }
  P2MPP_DEVICE static std::uint32_t rectified_pair(float first, float second) {
    return rectified_f16_pair(first, second);
  }
  P2MPP_DEVICE static FloatPair floats(std::uint32_t pair) { return floats_of_f16(pair); }
};

struct Bf16 : HalfElements<Bf16Pair> {
  static constexpr Arithmetic kArithmetic = Arithmetic::kBf16;
#if defined(__CUDACC__)
  P2MPP_DEVICE static void multiply_add(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
    multiply_add_bf16(d, a, b);
  }
#endif
};

struct Fp16 : HalfElements<Fp16Pair> {
  static constexpr Arithmetic kArithmetic = Arithmetic::kFp16;
#if defined(__CUDACC__)
  P2MPP_DEVICE static void multiply_add(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
    multiply_add_f16(d, a, b);
  }
#endif
};

/// The products of parts, smallest first. With two parts, the product of the two smaller ones is omitted.
template <int kParts>
inline constexpr int kPartProducts = kParts == 1 ? 1 : 3;
P2MPP_HOST_DEVICE constexpr int weight_part(int parts, int product) { return parts == 2 && product == 0 ? 1 : 0; }
P2MPP_HOST_DEVICE constexpr int row_part(int parts, int product) { return parts == 2 && product == 1 ? 1 : 0; }

}  // namespace
}  // namespace p2mpp::cuda

#if defined(__CUDACC__)

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

#else
#include "emulation/multiply_add_emulated.h"
#endif
