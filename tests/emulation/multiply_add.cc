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

// Truncates towards zero: rounds to nearest, then steps back if that increased the magnitude.
float cut_off(double value) {
  const auto nearest = static_cast<float>(value);
  std::uint32_t bits = 0;
  std::memcpy(&bits, &nearest, sizeof bits);
  bits -= std::fabs(static_cast<double>(nearest)) > std::fabs(value) ? 1U : 0U;
  float result = 0;
  std::memcpy(&result, &bits, sizeof result);
  return result;
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

P2MPP_FOR_EVERY_CPU void multiply_add(int depth, const float* a, const float* b, float* d) {
  const int end = has_fault(Fault::kLastDepthLost) ? depth - 1 : depth;
  for (int row = 0; row < kRows; ++row) {
    double sums[kColumns];
    for (int column = 0; column < kColumns; ++column) sums[column] = static_cast<double>(d[row * kColumns + column]);
    for (int k = 0; k < end; ++k) {
      const auto left = static_cast<double>(a[row * depth + k]);
      for (int column = 0; column < kColumns; ++column) {
        sums[column] += left * static_cast<double>(b[k * kColumns + column]);
      }
    }
    for (int column = 0; column < kColumns; ++column) d[row * kColumns + column] = cut_off(sums[column]);
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
