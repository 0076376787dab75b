#pragma once

#include <array>
#include <cstddef>
#include <functional>

// Runs CUDA kernels on the CPU, from the same source, so that their index arithmetic, data flow and barriers can be
// tested where there is no GPU. A block's threads are fibers of one CPU thread: each runs until it waits for others.

namespace p2mpp::emulation {

inline constexpr int kWarpThreads = 32;

/// In which order a block's threads run between barriers, and blocks that wait for each other. A kernel that lacks a
/// barrier gives other results in another order.
enum class Order { kForward, kBackward, kShuffled };
void set_order(Order order);

struct Grid {
  int blocks_x = 1;
  int blocks_y = 1;
  int threads = 1;               ///< of a block
  std::size_t shared_bytes = 0;  ///< of a block; filled with the bytes of a NaN
  bool cooperative = false;      ///< blocks wait for each other: all run at the same time
};

/// Runs `body` once for each thread of each block. Throws std::logic_error for barriers that some threads never reach
/// and for writes beyond the shared memory.
void run(const Grid& grid, const std::function<void()>& body);

// For the thread that is running.

[[nodiscard]] int thread_index();
[[nodiscard]] int block_x();
[[nodiscard]] int block_y();
[[nodiscard]] int block_threads();
[[nodiscard]] unsigned char* shared_memory();

/// Waits until so many threads have come to the barrier of this id.
void wait_at_barrier(int id, int threads);

/// Lets other threads run until the condition holds.
void wait_until(std::function<bool()> condition);

/// Waits until all threads of the warp have come with a pointer each; the last one calls `all` on them.
using WarpPointers = std::array<void*, kWarpThreads>;
void wait_for_warp(void* mine, const std::function<void(const WarpPointers&)>& all);

/// d += a b as a tensor core does it: products are exact, the sum is cut off to a float. a [16,depth], b [depth,8],
/// d [16,8], row-major.
void multiply_add(int depth, const float* a, const float* b, float* d);

/// The same for operands of eight bits, a [16,32], b [32,8], as far as measurements that others published tell: of the
/// sum before and all products, each keeps fp8_sum_bits() bits behind the first bit of the largest of them; what these
/// add up to keeps as many bits behind its own first.
void multiply_add_fp8(const float* a, const float* b, float* d);
inline constexpr int kFp8Depth = 32;

/// kHopperFp8SumBits at first. With kFloatSumBits sums are those of multiply_add().
void set_fp8_sum_bits(int bits);
[[nodiscard]] int fp8_sum_bits();

}  // namespace p2mpp::emulation
