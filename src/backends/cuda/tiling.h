#pragma once

#include <cstddef>
#include <cstdint>

#include "backends/cuda/fragments.h"

namespace p2mpp {

// The partition of the kernels' work, for the kernels and the code that launches them.

inline constexpr int kBlockThreads = 256;  ///< unless a kernel says otherwise
inline constexpr int kBlockWarps = kBlockThreads / 32;
inline constexpr std::size_t kSharedBytesWithoutAsking = 48 * 1024;  ///< available without opting in

[[nodiscard]] constexpr int blocks_for(std::int64_t count, int of_block) {
  return static_cast<int>((count + of_block - 1) / of_block);
}

/// A convolution's warp computes a pair of tiles of channels by four tiles of pixels.
inline constexpr int kConvolutionRowTiles = 4;
inline constexpr int kConvolutionWarpPixels = kConvolutionRowTiles * kTileRows;
inline constexpr int kConvolutionLaneSums = 2 * kConvolutionRowTiles * 4;

/// Shared memory of a convolution's block: the sums of all slices, if there are several.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr std::size_t convolution_shared_bytes(int slices) {
  return slices > 1 ? std::size_t{kBlockThreads} * kConvolutionLaneSums * sizeof(float) : 0;
}
static_assert(convolution_shared_bytes(8) <= kSharedBytesWithoutAsking);

/// Number of warps that fill a GPU: an H100 has 132 multiprocessors.
inline constexpr int kEnoughWarps = 1024;
inline constexpr int kFewestStepsOfSlice = 4;

/// Number of slices that a convolution's depth is split into: more if one sample's output alone would leave the device
/// idle. Depends on the layer but not on the batch, so that the order of summation does not depend on the batch either.
[[nodiscard]] constexpr int count_slices(int output_pixels_of_sample, int pairs, int steps) {
  int slices = 1;
  while (slices < kBlockWarps &&
         blocks_for(output_pixels_of_sample, kConvolutionWarpPixels) * pairs * slices < kEnoughWarps &&
         steps >= 2 * slices * kFewestStepsOfSlice) {
    slices *= 2;
  }
  return slices;
}

/// A graph convolution's block: two tiles of vertices. Each pair of tiles of channels has two warps: one for the
/// vertices themselves, one for their neighbours.
inline constexpr int kGraphRowTiles = 2;
inline constexpr int kGraphVertices = kGraphRowTiles * kTileRows;
inline constexpr int kGraphLaneSums = 2 * kGraphRowTiles * 4;
inline constexpr int kMostGraphPairs = 8;
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int graph_threads(int pairs) { return 64 * pairs; }
[[nodiscard]] P2MPP_HOST_DEVICE constexpr std::size_t graph_shared_bytes(int channel_stride, int depth, int pairs) {
  return sizeof(float) * static_cast<std::size_t>(2 * kGraphVertices * shared_stride(channel_stride, depth) +
                                                  32 * kGraphLaneSums * pairs);
}
static_assert(graph_shared_bytes(192, 16, 6) <= kSharedBytesWithoutAsking);
static_assert(graph_shared_bytes(256, 16, 8) <= 99 * 1024);

/// A block of stage 1's projection has one warp per vertex, and holds each vertex's pixel in each of up to 64 views.
inline constexpr std::size_t kProjectionSharedBytes = sizeof(float) * 2 * kBlockWarps * 64;

/// One tile of targets in a nearest-neighbour search.
inline constexpr std::size_t kNearestSharedBytes = sizeof(float) * 3 * kBlockThreads;

}  // namespace p2mpp
