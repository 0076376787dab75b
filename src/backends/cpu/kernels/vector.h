#pragma once

// A vector of floats as wide as this translation unit's instruction set allows, using the vector extension of GCC and
// Clang: arithmetic, comparisons and ?: work element by element. Everything is in an unnamed namespace, because the
// same source is compiled for several instruction sets. Otherwise the linker could use one set's code for another.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/bfloat16.h"
// All code for 64-bit Arm may use Advanced SIMD, so __ARM_NEON does not tell the sets apart. Those that call its
// intrinsics define P2MPP_HAS_NEON.
#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(P2MPP_HAS_NEON)
#include <arm_neon.h>
#endif

#if defined(__clang__)
#define P2MPP_UNROLL _Pragma("unroll")
#else
#define P2MPP_UNROLL _Pragma("GCC unroll 16")
#endif
#define P2MPP_INLINE __attribute__((always_inline)) inline

namespace p2mpp {
namespace {

#if defined(__AVX512F__)
constexpr int kLanes = 16;
constexpr int kTileRows = 14;  // the sums use 28 of 32 registers
#elif defined(__AVX2__)
constexpr int kLanes = 8;
constexpr int kTileRows = 6;  // the sums use 12 of 16
#elif defined(P2MPP_HAS_NEON)
constexpr int kLanes = 4;
constexpr int kTileRows = 8;  // the sums use 16 of 32, the elements of the rows 8
#else
constexpr int kLanes = 4;
constexpr int kTileRows = 6;
#endif
constexpr int kBlockVectors = 2;
constexpr std::size_t kBlockColumns = kBlockVectors * kLanes;

using Vector = float __attribute__((vector_size(kLanes * 4)));
using IntVector = std::int32_t __attribute__((vector_size(kLanes * 4)));
using UintVector = std::uint32_t __attribute__((vector_size(kLanes * 4)));
using HalfVector = std::uint16_t __attribute__((vector_size(kLanes * 2)));

P2MPP_INLINE Vector broadcast(float value) { return value - Vector{}; }
P2MPP_INLINE IntVector broadcast(std::int32_t value) { return value - IntVector{}; }

P2MPP_INLINE Vector load(const float* from) {
  Vector vector;
  std::memcpy(&vector, from, sizeof vector);
  return vector;
}
P2MPP_INLINE Vector load(const Bfloat16* from) {
  HalfVector half;
  std::memcpy(&half, from, sizeof half);
  return reinterpret_cast<Vector>(__builtin_convertvector(half, UintVector) << 16U);
}

P2MPP_INLINE void store(Vector vector, float* to) { std::memcpy(to, &vector, sizeof vector); }
P2MPP_INLINE void store(Vector vector, Bfloat16* to) {
#if defined(__AVX512BF16__)
  const auto half = _mm512_cvtneps_pbh(vector);
#elif defined(P2MPP_HAS_NEON) && defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC)
  const auto half = vcvt_bf16_f32(vector);
#else
  const auto bits = reinterpret_cast<UintVector>(vector);
  const UintVector rounded = vector == vector ? bits + 0x7fffU + ((bits >> 16U) & 1U) : bits | 0x400000U;
  const auto half = __builtin_convertvector(rounded >> 16U, HalfVector);
#endif
  static_assert(sizeof half == sizeof(HalfVector));
  std::memcpy(to, &half, sizeof half);
}

// Stores operands. rest: elements from an operand to what rounding took from it; 0: that is not stored.
P2MPP_INLINE void store_operands(Vector vector, float* to, std::size_t /*rest*/) { store(vector, to); }
P2MPP_INLINE void store_operands(Vector vector, Bfloat16* to, std::size_t rest) {
  store(vector, to);
  if (rest != 0) store(vector - load(to), to + rest);
}

P2MPP_INLINE Vector larger(Vector a, Vector b) { return a < b ? b : a; }

P2MPP_INLINE Vector square_root(Vector x) {
#if defined(__AVX512F__)
  return _mm512_maskz_sqrt_ps(0xffff, x);  // GCC warns that _mm512_sqrt_ps reads an undefined register
#elif defined(__AVX2__)
  return _mm256_sqrt_ps(x);
#elif defined(__SSE2__)
  return _mm_sqrt_ps(x);
#elif defined(P2MPP_HAS_NEON)
  return vsqrtq_f32(x);
#else
  for (int i = 0; i < kLanes; ++i) x[i] = __builtin_sqrtf(x[i]);
  return x;
#endif
}

P2MPP_INLINE float sum_of_lanes(Vector x) {
  float sums[kLanes];
  std::memcpy(sums, &x, sizeof sums);
  for (int half = kLanes / 2; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) sums[i] += sums[i + half];
  }
  return sums[0];
}

}  // namespace
}  // namespace p2mpp
