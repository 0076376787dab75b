#pragma once

#include <array>
#include <cstddef>
#include <functional>

// Runs CUDA kernels on the CPU, from the same source, to test their index arithmetic, data flow and barriers without a
// GPU. A block's threads are fibers of one CPU thread: each runs until it has to wait for others.

namespace p2mpp::emulation {

inline constexpr int kWarpThreads = 32;

/// The order in which a block's threads run between barriers, and in which blocks that synchronise with each other run.
/// A kernel that lacks a barrier gives other results in another order.
enum class Order { kForward, kBackward, kShuffled };
void set_order(Order order);

struct Grid {
  int blocks_x = 1;
  int blocks_y = 1;
  int threads = 1;               ///< per block
  std::size_t shared_bytes = 0;  ///< per block; initialised with the bytes of a NaN
  bool cooperative = false;      ///< all blocks run concurrently because they synchronise with each other
};

/// Runs `body` once for each thread of each block. Throws std::logic_error if some threads wait forever or the kernel
/// writes beyond the shared memory.
void run(const Grid& grid, const std::function<void()>& body);

// The functions below act on the running thread.

[[nodiscard]] int thread_index();
[[nodiscard]] int block_x();
[[nodiscard]] int block_y();
[[nodiscard]] int block_threads();
[[nodiscard]] unsigned char* shared_memory();

/// Waits until `threads` threads have arrived at barrier `id`.
void wait_at_barrier(int id, int threads);

/// Lets other threads run until the condition holds.
void wait_until(std::function<bool()> condition);

/// Waits until all threads of the warp have arrived, each with a pointer. The last one calls `all` on the pointers.
using WarpPointers = std::array<void*, kWarpThreads>;
void wait_for_warp(void* mine, const std::function<void(const WarpPointers&)>& all);

/// d += a b, as computed by a tensor core: products are exact, the sum is truncated to float. a [16,depth], b
/// [depth,8], d [16,8], row-major.
void multiply_add(int depth, const float* a, const float* b, float* d);

/// The same for eight-bit operands, a [16,32] and b [32,8], as published measurements describe it: the previous sum and
/// all products keep fp8_sum_bits() bits below the leading bit of the largest of them, and their total keeps as many
/// bits below its own leading bit.
void multiply_add_fp8(const float* a, const float* b, float* d);
inline constexpr int kFp8Depth = 32;

/// Initially kHopperFp8SumBits. With kFloatSumBits, multiply_add_fp8() equals multiply_add().
void set_fp8_sum_bits(int bits);
[[nodiscard]] int fp8_sum_bits();

}  // namespace p2mpp::emulation
