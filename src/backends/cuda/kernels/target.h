#pragma once

// The device interface of the kernels: CUDA, or its emulation on a CPU. Kernels use nothing else of either, so both
// compile the same source.

#if defined(__CUDACC__)
#include "backends/cuda/kernels/target_cuda.h"
#else
#include "emulation/target_emulated.h"
#endif

namespace p2mpp::cuda {
namespace {

P2MPP_DEVICE int lane_index() { return thread_index() % 32; }
P2MPP_DEVICE int warp_index() { return thread_index() / 32; }

/// Synchronises all threads of the block.
P2MPP_DEVICE void block_barrier() { barrier(0, block_threads()); }

P2MPP_DEVICE float sum_over_warp(float value) {
  P2MPP_UNROLL
  for (int mask = 16; mask > 0; mask /= 2) value += shuffle_xor(value, mask);
  return value;
}

P2MPP_DEVICE float largest_in_warp(float value) {
  P2MPP_UNROLL
  for (int mask = 16; mask > 0; mask /= 2) {
    const float other = shuffle_xor(value, mask);
    value = value < other ? other : value;
  }
  return value;
}

}  // namespace
}  // namespace p2mpp::cuda
