#pragma once

// Hopper's instructions: CUDA's, or their emulation.

#if defined(__CUDACC__)
#include "backends/cuda/hopper_layout.h"
#include "backends/cuda/kernels/arithmetic.h"

// warpgroup_emulated.h declares the same names. Source: PTX ISA.

namespace p2mpp::cuda {
namespace {

P2MPP_DEVICE std::uint32_t shared_address(const void* shared) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
}

// Barriers in shared memory (mbarrier): a phase ends when the set number of threads and all expected bytes have
// arrived.

P2MPP_DEVICE void make_phase_barrier(void* at, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" : : "r"(shared_address(at)), "r"(arrivals) : "memory");
}
/// Call after the last make_phase_barrier() and before other threads use the barriers.
P2MPP_DEVICE void publish_phase_barriers() { asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory"); }
P2MPP_DEVICE void arrive(void* at) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" : : "r"(shared_address(at)) : "memory");
}
P2MPP_DEVICE void arrive_expecting(void* at, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
               :
               : "r"(shared_address(at)), "r"(bytes)
               : "memory");
}
/// Waits until the phase of this parity has ended (0: the first, 1: the second, 0: the third, ...).
P2MPP_DEVICE void wait_for_phase(void* at, int parity) {
  const std::uint32_t address = shared_address(at);
  std::uint32_t ended = 0;
  do {
    asm volatile(
        "{\n\t.reg .pred ended;\n\t"
        "mbarrier.try_wait.parity.shared::cta.b64 ended, [%1], %2;\n\t"
        "selp.u32 %0, 1, 0, ended;\n\t}"
        : "=r"(ended)
        : "r"(address), "r"(parity)
        : "memory");
  } while (ended == 0);
}

/// Starts an asynchronous copy from global to shared memory; its bytes arrive at the barrier. Both addresses and
/// `bytes` must be multiples of 16.
P2MPP_DEVICE void copy_in_bulk(void* to, const void* from, int bytes, void* phase_barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
               :
               : "r"(shared_address(to)), "l"(__cvta_generic_to_global(from)), "r"(bytes),
                 "r"(shared_address(phase_barrier))
               : "memory");
}

/// Makes this thread's writes to shared memory visible to the wgmma of threads that it synchronises with afterwards.
P2MPP_DEVICE void publish_to_products() { asm volatile("fence.proxy.async.shared::cta;" : : : "memory"); }

/// Call before products whose registers have been written.
P2MPP_DEVICE void begin_products() { asm volatile("wgmma.fence.sync.aligned;" : : : "memory"); }
/// Closes a group of products.
P2MPP_DEVICE void end_group() { asm volatile("wgmma.commit_group.sync.aligned;" : : : "memory"); }
/// Waits until all groups except the last kGroups are complete.
template <int kGroups>
P2MPP_DEVICE void wait_for_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" : : "n"(kGroups) : "memory");
}

/// Sets the number of registers per thread from here on: allocate_registers() raises it, release_registers() lowers it.
/// Executed by all threads of a warpgroup.
template <int kRegisters>
P2MPP_DEVICE void allocate_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" : : "n"(kRegisters));
}
template <int kRegisters>
P2MPP_DEVICE void release_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" : : "n"(kRegisters));
}

/// Keeps the compiler from moving accesses to these registers across this point, because it does not know that
/// asynchronous products use them.
template <int kCount>
P2MPP_DEVICE void pin(float (&registers)[kCount]) {
  P2MPP_UNROLL
  for (int i = 0; i < kCount; ++i) asm volatile("" : "+f"(registers[i]) : : "memory");
}
template <int kCount>
P2MPP_DEVICE void pin(std::uint32_t (&registers)[kCount]) {
  P2MPP_UNROLL
  for (int i = 0; i < kCount; ++i) asm volatile("" : "+r"(registers[i]) : : "memory");
}

#define P2MPP_SUMS_4(s, i) "+f"(s[i]), "+f"(s[i + 1]), "+f"(s[i + 2]), "+f"(s[i + 3])
#define P2MPP_SUMS_24(s, i)                                                                    \
  P2MPP_SUMS_4(s, i), P2MPP_SUMS_4(s, i + 4), P2MPP_SUMS_4(s, i + 8), P2MPP_SUMS_4(s, i + 12), \
      P2MPP_SUMS_4(s, i + 16), P2MPP_SUMS_4(s, i + 20)
#define P2MPP_REGISTERS_24                                                                                \
  "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, " \
  "%22, %23}"
#define P2MPP_REGISTERS_32                                                                                \
  "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, " \
  "%22, %23, %24, %25, %26, %27, %28, %29, %30, %31}"
#define P2MPP_REGISTERS_96                                                                                \
  "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, " \
  "%22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, "  \
  "%42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, "  \
  "%62, %63, %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, "  \
  "%82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95}"

// Instructions for 16-bit types take transpose flags, set to 0 here; those for 8-bit types have none.
#define P2MPP_MULTIPLY_TILE(SHAPE, TYPE, TRANSPOSED)                                                      \
  asm volatile(                                                                                           \
      "{\n\t.reg .pred adds;\n\tsetp.ne.b32 adds, %98, 0;\n\t"                                            \
      "wgmma.mma_async.sync.aligned." SHAPE ".f32." TYPE "." TYPE " " P2MPP_REGISTERS_96                  \
      ", %96, %97, adds, 1, 1" TRANSPOSED ";\n\t}"                                                        \
      : P2MPP_SUMS_24(sums, 0), P2MPP_SUMS_24(sums, 24), P2MPP_SUMS_24(sums, 48), P2MPP_SUMS_24(sums, 72) \
      : "l"(weights), "l"(rows), "r"(static_cast<int>(adds))                                              \
      : "memory")

#define P2MPP_MULTIPLY_VERTEX_48(TYPE)                                                                             \
  asm volatile(                                                                                                    \
      "{\n\t.reg .pred adds;\n\tsetp.ne.b32 adds, %29, 0;\n\t"                                                     \
      "wgmma.mma_async.sync.aligned.m64n48k16.f32." TYPE "." TYPE " " P2MPP_REGISTERS_24                           \
      ", {%24, %25, %26, %27}, %28, adds, 1, 1, 0;\n\t}"                                                           \
      : P2MPP_SUMS_24(sums, 0)                                                                                     \
      : "r"(weights[0]), "r"(weights[1]), "r"(weights[2]), "r"(weights[3]), "l"(rows), "r"(static_cast<int>(adds)) \
      : "memory")

#define P2MPP_MULTIPLY_VERTEX_64(TYPE)                                                                             \
  asm volatile(                                                                                                    \
      "{\n\t.reg .pred adds;\n\tsetp.ne.b32 adds, %37, 0;\n\t"                                                     \
      "wgmma.mma_async.sync.aligned.m64n64k16.f32." TYPE "." TYPE " " P2MPP_REGISTERS_32                           \
      ", {%32, %33, %34, %35}, %36, adds, 1, 1, 0;\n\t}"                                                           \
      : P2MPP_SUMS_24(sums, 0), P2MPP_SUMS_4(sums, 24), P2MPP_SUMS_4(sums, 28)                                     \
      : "r"(weights[0]), "r"(weights[1]), "r"(weights[2]), "r"(weights[3]), "l"(rows), "r"(static_cast<int>(adds)) \
      : "memory")

/// sums [64,192] += weights [64,16] * rows [16,192] (fp8: a depth of 32), both operands in shared memory. Without
/// `adds`, replaces the sums. Executed by all threads of the warpgroup.
template <class P>
P2MPP_DEVICE void multiply_tile(float (&sums)[kHopperSums], std::uint64_t weights, std::uint64_t rows, bool adds) {
  if constexpr (P::kArithmetic == Arithmetic::kBf16) {
    P2MPP_MULTIPLY_TILE("m64n192k16", "bf16", ", 0, 0");
  } else if constexpr (P::kArithmetic == Arithmetic::kFp16) {
    P2MPP_MULTIPLY_TILE("m64n192k16", "f16", ", 0, 0");
  } else {
    static_assert(P::kArithmetic == Arithmetic::kFp8);
    P2MPP_MULTIPLY_TILE("m64n192k32", "e4m3", "");
  }
}

/// sums [64, columns of a vertex] += weights [64,16] * rows [16, columns of a vertex], with the weights in registers.
/// Without `adds`, replaces the sums.
template <class P, int kSums>
P2MPP_DEVICE void multiply_vertex(float (&sums)[kSums], const std::uint32_t (&weights)[4], std::uint64_t rows,
                                  bool adds) {
  constexpr bool kBf16 = P::kArithmetic == Arithmetic::kBf16;
  static_assert(kBf16 || P::kArithmetic == Arithmetic::kFp16);
  if constexpr (kSums == vertex_sums(48)) {
    if constexpr (kBf16) {
      P2MPP_MULTIPLY_VERTEX_48("bf16");
    } else {
      P2MPP_MULTIPLY_VERTEX_48("f16");
    }
  } else {
    static_assert(kSums == vertex_sums(64));
    if constexpr (kBf16) {
      P2MPP_MULTIPLY_VERTEX_64("bf16");
    } else {
      P2MPP_MULTIPLY_VERTEX_64("f16");
    }
  }
}

#undef P2MPP_MULTIPLY_VERTEX_64
#undef P2MPP_MULTIPLY_VERTEX_48
#undef P2MPP_MULTIPLY_TILE
#undef P2MPP_REGISTERS_96
#undef P2MPP_REGISTERS_32
#undef P2MPP_REGISTERS_24
#undef P2MPP_SUMS_24
#undef P2MPP_SUMS_4

struct Fp8 {
  static constexpr Arithmetic kArithmetic = Arithmetic::kFp8;
};

/// Packs two e4m3 numbers, the first in the lower bits; saturates at 448.
P2MPP_DEVICE std::uint32_t fp8_pair(float first, float second) {
  std::uint16_t pair;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(second), "f"(first));
  return pair;
}
P2MPP_DEVICE FloatPair floats_of_fp8(std::uint32_t pair) {
  std::uint32_t halves;
  asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(halves) : "h"(static_cast<std::uint16_t>(pair)));
  return floats_of_f16(halves);
}

/// Moves four transposed 8x8 matrices of 16-bit elements to or from the 16 bytes that each lane points to
/// (moved_column(), moved_eight()).
P2MPP_DEVICE void store_matrices(const std::uint32_t (&words)[4], void* to) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared::cta.b16 [%0], {%1, %2, %3, %4};"
               :
               : "r"(shared_address(to)), "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3])
               : "memory");
}
P2MPP_DEVICE void load_matrices(std::uint32_t (&words)[4], const void* from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared::cta.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(shared_address(from))
               : "memory");
}

}  // namespace
}  // namespace p2mpp::cuda

#else
#include "emulation/warpgroup_emulated.h"
#endif
