#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "backends/cuda/fp8_tolerance.h"
#include "emulation/block.h"
#include "emulation/fault.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define P2MPP_FOR_EVERY_CPU __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define P2MPP_FOR_EVERY_CPU
#endif

namespace p2mpp::emulation {
namespace {

constexpr int kRows = 16;
constexpr int kColumns = 8;

constexpr int kLargestDepth = kFp8Depth;

using Floats = float __attribute__((vector_size(kColumns * 4)));
using Doubles = double __attribute__((vector_size(kColumns * 8)));
using Bits = std::int32_t __attribute__((vector_size(kColumns * 4)));
using WideBits = std::int64_t __attribute__((vector_size(kColumns * 8)));

// Vectors are passed by reference: how they are returned depends on the instruction set.
[[gnu::always_inline]] inline void load(const float* from, Doubles& to) {
  Floats floats;
  std::memcpy(&floats, from, sizeof floats);
  to = __builtin_convertvector(floats, Doubles);
}

// Truncates towards zero: rounds to nearest, then steps back if that increased the magnitude.
[[gnu::always_inline]] inline void store_cut_off(const Doubles& values, float* to) {
  const Floats nearest = __builtin_convertvector(values, Floats);
  const Doubles back = __builtin_convertvector(nearest, Doubles);
  const WideBits grown = (back < 0.0 ? -back : back) > (values < 0.0 ? -values : values);  // -1 where it did
  const Bits cut = reinterpret_cast<Bits>(nearest) + __builtin_convertvector(grown, Bits);
  std::memcpy(to, &cut, sizeof cut);
}

int chosen_fp8_sum_bits = kHopperFp8SumBits;

// Smaller than the exponent of any product of two eight-bit numbers.
constexpr int kExponentOfZero = -10000;

// The exponent; 0 for values from 1 up to 2.
int exponent_of(float value) { return value == 0 ? kExponentOfZero : std::ilogb(value); }

double power_of_two(int exponent) {
  const std::uint64_t bits = static_cast<std::uint64_t>(exponent + 1023) << 52U;
  double value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// Truncates towards zero, keeping `bits` bits below the leading bit.
float keep_bits(double value, int bits) {
  if (value == 0 || !std::isfinite(value)) return static_cast<float>(value);
  const int lowest = std::ilogb(value) - bits;
  return static_cast<float>(std::trunc(value * power_of_two(-lowest)) * power_of_two(lowest));
}

// sum + row * column, with all terms aligned to the largest exponent and truncated. Exponents are given.
float add_aligned(int depth, const float* row, const int* row_exponents, const float* columns,
                  const int* column_exponents, float sum) {
  int largest = exponent_of(sum);
  for (int k = 0; k < depth; ++k) largest = std::max(largest, row_exponents[k] + column_exponents[k * kColumns]);
  if (largest <= kExponentOfZero || !std::isfinite(sum)) return sum;
  const int lowest = largest - chosen_fp8_sum_bits;
  const double units = power_of_two(-lowest);
  double total = std::trunc(static_cast<double>(sum) * units);
  for (int k = 0; k < depth; ++k) {
    total += std::trunc(static_cast<double>(row[k]) * static_cast<double>(columns[k * kColumns]) * units);
  }
  return keep_bits(total * power_of_two(lowest), chosen_fp8_sum_bits);
}

}  // namespace

void set_fp8_sum_bits(int bits) { chosen_fp8_sum_bits = bits; }
int fp8_sum_bits() { return chosen_fp8_sum_bits; }

// Most of the emulation's time is spent here: one vector holds a row of sums. Rows of weights that are all zero, which
// fill up the channels of a small network, leave the sums as they are.
P2MPP_FOR_EVERY_CPU void multiply_add(int depth, const float* a, const float* b, float* d) {
  const int end = has_fault(Fault::kLastDepthLost) ? depth - 1 : depth;
  Doubles columns[kLargestDepth];
  for (int k = 0; k < end; ++k) load(b + k * kColumns, columns[k]);
  for (int row = 0; row < kRows; ++row) {
    bool is_zero = true;
    for (int k = 0; k < end; ++k) is_zero = is_zero & (a[row * depth + k] == 0);
    if (is_zero) continue;
    Doubles sums;
    load(d + row * kColumns, sums);
    for (int k = 0; k < end; ++k) sums += static_cast<double>(a[row * depth + k]) * columns[k];
    store_cut_off(sums, d + row * kColumns);
  }
}

P2MPP_FOR_EVERY_CPU void multiply_add_fp8(const float* a, const float* b, float* d) {
  if (chosen_fp8_sum_bits >= kFloatSumBits) return multiply_add(kFp8Depth, a, b, d);
  int exponents_a[kRows * kFp8Depth];
  int exponents_b[kFp8Depth * kColumns];
  std::transform(a, a + kRows * kFp8Depth, exponents_a, exponent_of);
  std::transform(b, b + kFp8Depth * kColumns, exponents_b, exponent_of);
  for (int i = 0; i < kRows * kColumns; ++i) {
    const int row = i / kColumns * kFp8Depth;
    const int column = i % kColumns;
    d[i] = add_aligned(kFp8Depth, a + row, exponents_a + row, b + column, exponents_b + column, d[i]);
  }
}

}  // namespace p2mpp::emulation
