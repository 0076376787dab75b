#pragma once

#include "backends/cpu/kernels.h"
#include "backends/cpu/kernels/vector.h"

namespace p2mpp {
namespace {

// Elements of a row that a step of a product consumes.
template <class Element>
constexpr std::size_t kDepthStep = sizeof(float) / sizeof(Element);

// A step of a float product consumes one element of a row. A step of a bf16 product consumes a pair, adjacent in the
// row and, for each column, in the packed weights.
template <class Element>
struct Step;

template <>
struct Step<float> {
  using Operand = Vector;
  P2MPP_INLINE static Operand weights(const float* from) { return load(from); }
  P2MPP_INLINE static Operand row(const float* from) { return broadcast(*from); }
  P2MPP_INLINE static Vector multiply_add(Vector sum, Operand row, Operand weights) { return sum + row * weights; }
};

template <>
struct Step<Bfloat16> {
  using Operand = IntVector;
  P2MPP_INLINE static Operand weights(const Bfloat16* from) {
    IntVector pairs;
    std::memcpy(&pairs, from, sizeof pairs);
    return pairs;
  }
  P2MPP_INLINE static Operand row(const Bfloat16* from) {
    std::int32_t pair = 0;
    std::memcpy(&pair, from, sizeof pair);
    return broadcast(pair);
  }
  P2MPP_INLINE static Vector multiply_add(Vector sum, Operand row, Operand weights) {
#if defined(__AVX512BF16__)
    return _mm512_dpbf16_ps(sum, reinterpret_cast<__m512bh>(weights), reinterpret_cast<__m512bh>(row));
#else
    const IntVector upper = broadcast(static_cast<std::int32_t>(0xffff0000U));
    sum += reinterpret_cast<Vector>(row << 16) * reinterpret_cast<Vector>(weights << 16);
    return sum + reinterpret_cast<Vector>(row & upper) * reinterpret_cast<Vector>(weights & upper);
#endif
  }
};

template <int kRows, int kVectors>
struct Sums {
  Vector at[kRows][kVectors];
};

// Adds one segment's products to the sums. Pointers are kept only to every third row: one x86 instruction can address
// base, base + stride and base + 2 * stride, which saves registers.
template <int kRows, int kVectors, class Element>
P2MPP_INLINE void add_segment(Sums<kRows, kVectors>& sums, const Element* rows, std::size_t stride, std::size_t depth,
                              const Element* weights) {
  using S = Step<Element>;
  const Element* third[(kRows + 2) / 3];
  P2MPP_UNROLL
  for (int i = 0; i < (kRows + 2) / 3; ++i) third[i] = rows + static_cast<std::size_t>(3 * i) * stride;
  for (std::size_t k = 0; k < depth; k += kDepthStep<Element>) {
    typename S::Operand columns[kVectors];
    P2MPP_UNROLL
    for (int j = 0; j < kVectors; ++j)
      columns[j] = S::weights(weights + static_cast<std::size_t>(j) * kLanes * kDepthStep<Element>);
    weights += kVectors * kLanes * kDepthStep<Element>;
    P2MPP_UNROLL
    for (int i = 0; i < kRows; ++i) {
      const typename S::Operand row = S::row(&third[i / 3][static_cast<std::size_t>(i % 3) * stride + k]);
      P2MPP_UNROLL
      for (int j = 0; j < kVectors; ++j) sums.at[i][j] = S::multiply_add(sums.at[i][j], row, columns[j]);
    }
  }
}

#if defined(P2MPP_HAS_NEON)
// Adds the products of one element of every row, which is in lane kLane of `row`, and one row of the weights.
template <int kLane, int kRows, int kVectors>
P2MPP_INLINE void add_element(Sums<kRows, kVectors>& sums, const Vector (&row)[kRows], const float* weights) {
  P2MPP_UNROLL
  for (int j = 0; j < kVectors; ++j) {
    const Vector column = load(weights + static_cast<std::size_t>(j) * kLanes);
    P2MPP_UNROLL
    for (int i = 0; i < kRows; ++i) sums.at[i][j] = vfmaq_laneq_f32(sums.at[i][j], column, row[i], kLane);
  }
}

// add_segment() for floats. FMLA multiplies by one lane of a vector, so a load of four elements of a row serves four
// steps.
template <int kRows, int kVectors>
P2MPP_INLINE void add_segment(Sums<kRows, kVectors>& sums, const float* rows, std::size_t stride, std::size_t depth,
                              const float* weights) {
  Vector row[kRows];
  std::size_t k = 0;
  constexpr std::size_t kStep = kVectors * kLanes;
  for (; k + kLanes <= depth; k += kLanes, weights += kLanes * kStep) {
    P2MPP_UNROLL
    for (int i = 0; i < kRows; ++i) row[i] = load(rows + static_cast<std::size_t>(i) * stride + k);
    add_element<0>(sums, row, weights);
    add_element<1>(sums, row, weights + kStep);
    add_element<2>(sums, row, weights + 2 * kStep);
    add_element<3>(sums, row, weights + 3 * kStep);
  }
  for (; k < depth; ++k, weights += kStep) {
    P2MPP_UNROLL
    for (int i = 0; i < kRows; ++i) row[i] = broadcast(rows[static_cast<std::size_t>(i) * stride + k]);
    add_element<0>(sums, row, weights);
  }
}
#endif

// Applies activation, residual and rounding to the sums of one row that begin at element `at` of the output.
template <class Element>
P2MPP_INLINE void finish(const Product<Element>& product, std::size_t at, Vector value) {
  if (product.relu) value = value < 0 ? Vector{} : value;  // NaN stays NaN
  if (product.residual != nullptr) value = (value + load(product.residual + at)) * product.scale;
  if (product.out_float != nullptr) store(value, product.out_float + at);
  if (product.out_element != nullptr) store_operands(value, product.out_element + at, product.out_rest);
}

// Starts the sums at the bias, which costs nothing.
template <int kRows, int kVectors, class Element>
void multiply_block(const Product<Element>& product, std::size_t column, const Element* weights) {
  Sums<kRows, kVectors> sums;
  P2MPP_UNROLL
  for (int j = 0; j < kVectors; ++j) {
    const Vector start =
        product.bias != nullptr ? load(product.bias + column + static_cast<std::size_t>(j) * kLanes) : Vector{};
    P2MPP_UNROLL
    for (int i = 0; i < kRows; ++i) sums.at[i][j] = start;
  }
  for (int s = 0; s < product.segment_count; ++s) {
    add_segment(sums, product.segments[s], product.row_stride, product.depth, weights);
    weights += product.depth * kVectors * kLanes;
  }
  P2MPP_UNROLL
  for (int i = 0; i < kRows; ++i) {
    P2MPP_UNROLL
    for (int j = 0; j < kVectors; ++j) {
      const std::size_t at =
          static_cast<std::size_t>(i) * product.out_stride + column + static_cast<std::size_t>(j) * kLanes;
      finish(product, at, sums.at[i][j]);
    }
  }
}

template <int kRows, class Element>
void multiply_rows(const Product<Element>& product) {
  const std::size_t depth = product.depth * static_cast<std::size_t>(product.segment_count);
  std::size_t column = product.first_column;
  for (; column + kBlockColumns <= product.last_column; column += kBlockColumns) {
    multiply_block<kRows, kBlockVectors>(product, column, product.weights + column * depth);
  }
  // The remainder, if a block is wider than kChannelGroup.
  for (; column < product.last_column; column += kLanes) {
    multiply_block<kRows, 1>(product, column, product.weights + column * depth);
  }
}

// Selects the code compiled for this number of rows.
template <class Element, int kRows = kTileRows>
void multiply(const Product<Element>& product) {
  if constexpr (kRows > 1) {
    if (product.rows < kRows) return multiply<Element, kRows - 1>(product);
  }
  multiply_rows<kRows>(product);
}

}  // namespace
}  // namespace p2mpp
