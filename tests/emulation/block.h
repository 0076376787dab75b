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
  bool together = false;         ///< blocks wait for each other: all run at the same time
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

}  // namespace p2mpp::emulation
