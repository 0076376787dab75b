#pragma once

#include <cstddef>
#include <cstdint>

#define P2MPP_DEVICE __device__ __forceinline__
#define P2MPP_UNROLL _Pragma("unroll")
#define P2MPP_UNROLL_TWICE _Pragma("unroll 2")
#define P2MPP_DO_NOT_UNROLL _Pragma("unroll 1")

namespace p2mpp::cuda {
namespace {

P2MPP_DEVICE int thread_index() { return static_cast<int>(threadIdx.x); }
P2MPP_DEVICE int block_threads() { return static_cast<int>(blockDim.x); }
P2MPP_DEVICE int block_x() { return static_cast<int>(blockIdx.x); }
P2MPP_DEVICE int block_y() { return static_cast<int>(blockIdx.y); }

/// The block's dynamic shared memory.
P2MPP_DEVICE unsigned char* shared_memory() {
  extern __shared__ __align__(16) unsigned char memory[];
  return memory;
}

/// Synchronises `threads` threads, a multiple of 32. Barriers with different ids (0 to 15) are independent.
P2MPP_DEVICE void barrier(int id, int threads) {
  asm volatile("bar.sync %0, %1;" : : "r"(id), "r"(threads) : "memory");
}

/// Executed by one thread of each block: arrives and waits for `count` arrivals. Writes that the other blocks made
/// before are then visible to this thread, and to its block after a barrier with it.
P2MPP_DEVICE void grid_barrier(std::uint32_t* arrivals, std::uint32_t count) {
  __threadfence();
  atomicAdd(arrivals, 1U);
  std::uint32_t found = 0;
  do {
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(found) : "l"(arrivals) : "memory");
  } while (found < count);
  __threadfence();
}

P2MPP_DEVICE float shuffle_xor(float value, int mask) { return __shfl_xor_sync(0xffffffffU, value, mask); }

/// kWords 32-bit words read or written in one access. Their address must be a multiple of their size.
template <int kWords>
struct alignas(kWords * 4) Words {
  std::uint32_t at[kWords];
};

template <int kWords>
P2MPP_DEVICE Words<kWords> load_words(const void* from) {
  Words<kWords> words;
  if constexpr (kWords == 4) {
    const uint4 value = *static_cast<const uint4*>(from);
    words.at[0] = value.x;
    words.at[1] = value.y;
    words.at[2] = value.z;
    words.at[3] = value.w;
  } else {
    static_assert(kWords == 2);
    const uint2 value = *static_cast<const uint2*>(from);
    words.at[0] = value.x;
    words.at[1] = value.y;
  }
  return words;
}

/// The same for memory that no kernel writes while this one runs.
template <int kWords>
P2MPP_DEVICE Words<kWords> load_constant_words(const void* from) {
  Words<kWords> words;
  if constexpr (kWords == 4) {
    const uint4 value = __ldg(static_cast<const uint4*>(from));
    words.at[0] = value.x;
    words.at[1] = value.y;
    words.at[2] = value.z;
    words.at[3] = value.w;
  } else {
    static_assert(kWords == 2);
    const uint2 value = __ldg(static_cast<const uint2*>(from));
    words.at[0] = value.x;
    words.at[1] = value.y;
  }
  return words;
}

/// Returns the same value but hides it from the compiler. Computations with it stay in place instead of being hoisted
/// out of a loop into registers that the loop needs.
P2MPP_DEVICE int opaque(int value) {
  int result;
  asm volatile("mov.b32 %0, %1;" : "=r"(result) : "r"(value));
  return result;
}

template <int kWords>
P2MPP_DEVICE void store_words(const Words<kWords>& words, void* to) {
  if constexpr (kWords == 4) {
    *static_cast<uint4*>(to) = make_uint4(words.at[0], words.at[1], words.at[2], words.at[3]);
  } else {
    static_assert(kWords == 2);
    *static_cast<uint2*>(to) = make_uint2(words.at[0], words.at[1]);
  }
}

P2MPP_DEVICE std::uint32_t bits_from(float value) { return __float_as_uint(value); }
P2MPP_DEVICE float float_from_bits(std::uint32_t bits) { return __uint_as_float(bits); }

/// max(value, 0); NaN stays NaN.
P2MPP_DEVICE float rectified(float value) {
  float result;
  asm("max.NaN.f32 %0, %1, 0f00000000;" : "=f"(result) : "f"(value));
  return result;
}

/// Relative error at most 2^-22.
P2MPP_DEVICE float approximate_root(float value) {
  float root;
  asm("sqrt.approx.f32 %0, %1;" : "=f"(root) : "f"(value));
  return root;
}

P2MPP_DEVICE std::uint32_t tf32_from(float value) {
  std::uint32_t bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
  return bits;
}

/// Packs two values into a word, the first in the lower half.
P2MPP_DEVICE std::uint32_t bf16_pair(float first, float second) {
  std::uint32_t pair;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
  return pair;
}
P2MPP_DEVICE std::uint32_t f16_pair(float first, float second) {
  std::uint32_t pair;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
  return pair;
}

/// The same after max(value, 0).
P2MPP_DEVICE std::uint32_t rectified_bf16_pair(float first, float second) {
  std::uint32_t pair;
  asm("cvt.rn.relu.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
  return pair;
}
P2MPP_DEVICE std::uint32_t rectified_f16_pair(float first, float second) {
  std::uint32_t pair;
  asm("cvt.rn.relu.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
  return pair;
}

struct FloatPair {
  float first, second;
};
P2MPP_DEVICE FloatPair floats_of_bf16(std::uint32_t pair) {
  return {__uint_as_float(pair << 16), __uint_as_float(pair & 0xffff0000U)};
}
P2MPP_DEVICE FloatPair floats_of_f16(std::uint32_t pair) {
  FloatPair floats;
  asm("{\n\t.reg .b16 low, high;\n\tmov.b32 {low, high}, %2;\n\tcvt.f32.f16 %0, low;\n\tcvt.f32.f16 %1, high;\n\t}"
      : "=f"(floats.first), "=f"(floats.second)
      : "r"(pair));
  return floats;
}

// A product that must not be fused with a following addition, so that results equal the CPU's.
P2MPP_DEVICE double product_rounded(double a, double b) { return __dmul_rn(a, b); }

P2MPP_DEVICE void multiply_add_tf32(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
P2MPP_DEVICE void multiply_add_bf16(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
P2MPP_DEVICE void multiply_add_f16(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

}  // namespace
}  // namespace p2mpp::cuda
