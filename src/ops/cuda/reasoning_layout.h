#pragma once

#include "ops/cuda/fragments.h"

namespace p2mpp {

inline constexpr int kMaxCudaViews = 5;
inline constexpr int kNodeTiles = 6;  ///< of hypotheses: a vertex takes 48 rows of products
inline constexpr int kMaxHypotheses = kNodeTiles * kTileRows;

/// Where a vertex's numbers lie in the shared memory of a deformation reasoning block, in bytes from its start. The
/// features make room for the states: no layer but the first reads them.
struct ReasoningLayout {
  int feature_stride, state_stride;  ///< elements
  int second_states;                 ///< of odd layers; those of even ones begin at 0, as the features do
  int positions;                     ///< PixelPosition [views][48]
  int products;                      ///< float [2][48]: of the last layer
  int scores;                        ///< float [48]
  int vertex_bytes;

  [[nodiscard]] P2MPP_HOST_DEVICE static constexpr ReasoningLayout of(int features, int hidden, int depth,
                                                                      int element_bytes) {
    constexpr int kFloat = 4;  // bytes
    ReasoningLayout layout{};
    layout.feature_stride = shared_stride(features, depth);
    layout.state_stride = shared_stride(hidden, depth);
    layout.second_states = layout.state_stride * kMaxHypotheses * element_bytes;
    const int projected = layout.feature_stride * kMaxHypotheses * element_bytes;
    layout.positions = 2 * layout.second_states > projected ? 2 * layout.second_states : projected;
    layout.products = layout.positions + kFloat * 2 * kMaxHypotheses * kMaxCudaViews;
    layout.scores = layout.products + kFloat * 2 * kMaxHypotheses;
    layout.vertex_bytes = layout.scores + kFloat * kMaxHypotheses;
    return layout;
  }
};

/// Pairs of tiles of output channels that a warp computes; as many as its registers hold.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int reasoning_pairs(Arithmetic arithmetic) {
  return element_bytes(arithmetic) == 4 ? 1 : 3;
}

/// Each vertex has a barrier of its own, of which a block has 16.
inline constexpr int kMostVerticesTogether = 15;

/// Threads that a block has at most: shared memory has no room for more vertices of floats, and fp32's registers have
/// none for two.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int reasoning_threads(Arithmetic arithmetic) {
  return arithmetic == Arithmetic::kFp32 ? 192 : arithmetic == Arithmetic::kTf32 ? 384 : 256;
}

/// Threads that compute one vertex; hidden: a multiple of the channels of a warp.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int reasoning_vertex_threads(Arithmetic arithmetic, int hidden) {
  return 32 * (hidden / (reasoning_pairs(arithmetic) * kPairChannels));
}

/// Vertices that a block takes with so much shared memory; 0 where there is no room for one.
[[nodiscard]] constexpr int vertices_together(Arithmetic arithmetic, const ReasoningLayout& layout, int vertex_threads,
                                              std::size_t shared_bytes) {
  const int by_memory = static_cast<int>(shared_bytes) / layout.vertex_bytes;
  const int by_threads = reasoning_threads(arithmetic) / vertex_threads;
  const int most = by_memory < by_threads ? by_memory : by_threads;
  return most < kMostVerticesTogether ? most : kMostVerticesTogether;
}

// The published sizes fit: 16-bit elements, four vertices on an H100, two in the 99 KB of consumer GPUs; floats, two
// and one.
static_assert(4 * ReasoningLayout::of(352, 192, 16, 2).vertex_bytes <= 227 * 1024);
static_assert(2 * ReasoningLayout::of(352, 192, 16, 2).vertex_bytes <= 99 * 1024);
static_assert(2 * ReasoningLayout::of(352, 192, 8, 4).vertex_bytes <= 227 * 1024);
static_assert(1 * ReasoningLayout::of(352, 192, 8, 4).vertex_bytes <= 99 * 1024);
static_assert(ReasoningLayout::of(352, 192, 8, 4).vertex_bytes % 16 == 0);

}  // namespace p2mpp
