#pragma once

#include "backends/cuda/fragments.h"

namespace p2mpp {

/// Views whose samples a thread holds in registers, and whose positions a deformation reasoning block holds in shared
/// memory. More views are projected and pooled one after the other.
inline constexpr int kViewsAtOnce = 5;
inline constexpr int kMaxCudaViews = 64;
inline constexpr int kMaxHypotheses = 64;

/// Product rows per vertex: one per hypothesis, plus padding. The published 43 hypotheses fit into 48 rows.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int hypothesis_rows(int hypotheses) {
  return hypotheses <= 48 ? 48 : kMaxHypotheses;
}

/// The layout of one vertex's data in the shared memory of a deformation reasoning block: offsets in bytes. The states
/// overwrite the features, which only the first layer reads.
struct ReasoningLayout {
  int feature_stride, state_stride;  ///< elements
  int second_states;                 ///< states of odd layers; those of even layers start at 0, like the features
  int positions;                     ///< PixelPosition [views][rows]
  int products;                      ///< float [2][rows], of the last layer
  int scores;                        ///< float [rows]
  int vertex_bytes;

  /// rows: hypothesis_rows(); depth: of the arithmetic's matrix instruction.
  [[nodiscard]] P2MPP_HOST_DEVICE static constexpr ReasoningLayout of(int features, int hidden, int rows, int depth,
                                                                      int element_bytes) {
    constexpr int kFloat = 4;  // bytes
    ReasoningLayout layout{};
    layout.feature_stride = shared_stride(features, depth);
    layout.state_stride = shared_stride(hidden, depth);
    layout.second_states = layout.state_stride * rows * element_bytes;
    const int projected = layout.feature_stride * rows * element_bytes;
    layout.positions = 2 * layout.second_states > projected ? 2 * layout.second_states : projected;
    layout.products = layout.positions + kFloat * 2 * rows * kViewsAtOnce;
    layout.scores = layout.products + kFloat * 2 * rows;
    layout.vertex_bytes = layout.scores + kFloat * rows;
    return layout;
  }
};

/// Pairs of tiles of output channels that a warp computes; limited by its registers.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int reasoning_pairs(Arithmetic arithmetic, int rows) {
  return element_bytes(arithmetic) == 4 ? 1 : rows == 48 ? 3 : 2;
}

/// Each vertex needs its own barrier; a block has 16.
inline constexpr int kMostVerticesTogether = 15;

/// Maximum threads per block. 256 threads have the maximum number of registers each. tf32 needs fewer, so a block can
/// hold two vertices of the published sizes.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int reasoning_threads(Arithmetic arithmetic, int rows) {
  return arithmetic == Arithmetic::kTf32 && rows == 48 ? 384 : 256;
}

/// Threads that compute one vertex. hidden: a multiple of a warp's channels.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int reasoning_vertex_threads(Arithmetic arithmetic, int hidden, int rows) {
  return 32 * (hidden / (reasoning_pairs(arithmetic, rows) * kPairChannels));
}

/// Vertices per block with `shared_bytes` of shared memory; 0 if not even one fits.
[[nodiscard]] constexpr int vertices_per_block(Arithmetic arithmetic, const ReasoningLayout& layout, int rows,
                                               int vertex_threads, std::size_t shared_bytes) {
  const int by_memory = static_cast<int>(shared_bytes) / layout.vertex_bytes;
  const int by_threads = reasoning_threads(arithmetic, rows) / vertex_threads;
  const int most = by_memory < by_threads ? by_memory : by_threads;
  return most < kMostVerticesTogether ? most : kMostVerticesTogether;
}

// The published sizes fit. 16-bit elements: four vertices on an H100, two in the 99 KB of consumer GPUs. Floats: two
// and one.
static_assert(4 * ReasoningLayout::of(352, 192, 48, 16, 2).vertex_bytes <= 227 * 1024);
static_assert(2 * ReasoningLayout::of(352, 192, 48, 16, 2).vertex_bytes <= 99 * 1024);
static_assert(2 * ReasoningLayout::of(352, 192, 48, 8, 4).vertex_bytes <= 227 * 1024);
static_assert(1 * ReasoningLayout::of(352, 192, 48, 8, 4).vertex_bytes <= 99 * 1024);
static_assert(ReasoningLayout::of(352, 192, 48, 8, 4).vertex_bytes % 16 == 0);

}  // namespace p2mpp
