#pragma once

#include "backends/cpu/kernels.h"
#include "backends/cpu/kernels/vector.h"

namespace p2mpp {
namespace {

// Adds kVectors vectors of one row of support * x to the sums.
template <int kVectors>
P2MPP_INLINE void add_neighbours(const SupportRows& support, std::size_t row, const float* x, std::size_t stride,
                                 Vector (&sums)[kVectors]) {
  for (auto i = support.first[row]; i < support.first[row + 1]; ++i) {
    const Vector weight = broadcast(support.weight[i]);
    const float* neighbour = x + static_cast<std::size_t>(support.column[i]) * stride;
    P2MPP_UNROLL
    for (int j = 0; j < kVectors; ++j) sums[j] += weight * load(neighbour + static_cast<std::size_t>(j) * kLanes);
  }
}

template <int kVectors, class Element>
P2MPP_INLINE void sum_neighbours_of(const SupportRows& support, std::size_t row, const float* x, std::size_t stride,
                                    Element* out, std::size_t rest) {
  Vector sums[kVectors] = {};
  add_neighbours(support, row, x, stride, sums);
  P2MPP_UNROLL
  for (int j = 0; j < kVectors; ++j) store_operands(sums[j], out + static_cast<std::size_t>(j) * kLanes, rest);
}

template <class Element>
void sum_neighbours(const SupportRows& support, std::size_t first_row, std::size_t row_count, const float* x,
                    std::size_t stride, std::size_t width, Element* out, std::size_t rest) {
  constexpr int kWide = 6;
  for (std::size_t row = first_row; row < first_row + row_count; ++row, out += stride) {
    std::size_t column = 0;
    for (; column + std::size_t{kWide} * kLanes <= width; column += std::size_t{kWide} * kLanes) {
      sum_neighbours_of<kWide>(support, row, x + column, stride, out + column, rest);
    }
    for (; column < width; column += kLanes) {
      sum_neighbours_of<1>(support, row, x + column, stride, out + column, rest);
    }
  }
}

void combine_neighbours(const SupportRows& support, std::size_t first_row, std::size_t row_count, const float* own,
                        const float* others, std::size_t stride, const float* bias, std::size_t width, float* out) {
  for (std::size_t row = first_row; row < first_row + row_count; ++row) {
    for (std::size_t column = 0; column < width; column += kLanes) {
      Vector sums[1] = {load(own + row * stride + column) + load(bias + column)};
      add_neighbours(support, row, others + column, stride, sums);
      store(sums[0] < 0 ? Vector{} : sums[0], out + row * width + column);
    }
  }
}

template <class Element>
void round(const float* values, std::size_t count, Element* out, std::size_t rest) {
  for (std::size_t i = 0; i < count; i += kLanes) store_operands(load(values + i), out + i, rest);
}

void average(const float* a, const float* b, std::size_t count, float* out) {
  for (std::size_t i = 0; i < count; i += kLanes) store((load(a + i) + load(b + i)) * 0.5F, out + i);
}

void dot_product_pairs(const float* x, std::size_t stride, std::size_t rows, std::size_t width, const float* weights0,
                       const float* weights1, float* out0, float* out1) {
  for (std::size_t row = 0; row < rows; ++row, x += stride) {
    Vector sum0{};
    Vector sum1{};
    for (std::size_t i = 0; i < width; i += kLanes) {
      const Vector values = load(x + i);
      sum0 += values * load(weights0 + i);
      sum1 += values * load(weights1 + i);
    }
    out0[row] = sum_of_lanes(sum0);
    out1[row] = sum_of_lanes(sum1);
  }
}

}  // namespace
}  // namespace p2mpp
