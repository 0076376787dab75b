#pragma once

#include "ops/cuda/arguments.h"
#include "ops/cuda/kernels/product.h"
#include "ops/cuda/tiling.h"

namespace p2mpp::cuda {
namespace {

/// A block of eight warps; grid: tiles of pixels, pairs of tiles of channels. A warp computes 32 channels of 32 pixels
/// for its slice of the depth. Pixels are read where they lie, 8 or 16 bytes a lane, beyond the border zeros; blocks of
/// the same pixels find them in the caches.
template <class P>
struct Convolve {
  using Arguments = ConvolutionArguments;
  using Element = typename P::Element;
  static constexpr int kThreads = kBlockThreads;
  static constexpr int kBlocksAtOnce = 1;
  static constexpr int kRowTiles = kConvolutionRowTiles;

  /// Steps through kernel rows, kernel columns and channels.
  struct Cursor {
    static constexpr bool kAhead = true;

    const Arguments& arguments;
    const Element* pixel[kRowTiles];  // of the current kernel position, the lane's piece; null: beyond the border
    int top[kRowTiles], left[kRowTiles];
    std::int64_t image[kRowTiles];  // -1: no pixel
    int ky, kx, channel;

    P2MPP_DEVICE Cursor(const Arguments& all, std::int64_t first_pixel, int first_step) : arguments(all) {
      const int steps_at_position = all.input_stride / P::kDepth;
      const int position = first_step / steps_at_position;
      ky = position / all.kernel;
      kx = position % all.kernel;
      channel = first_step % steps_at_position * P::kDepth;
      P2MPP_UNROLL
      for (int j = 0; j < kRowTiles; ++j) {
        const std::int64_t index = first_pixel + j * kTileRows + lane_group(lane_index());
        const std::int64_t image_pixels = static_cast<std::int64_t>(all.output_height) * all.output_width;
        const int in_image = static_cast<int>(index % image_pixels);
        image[j] = index < all.output_pixels ? index / image_pixels : -1;
        top[j] = in_image / all.output_width * all.stride - all.border_before;
        left[j] = in_image % all.output_width * all.stride - all.border_before;
      }
      find_pixels();
    }

    P2MPP_DEVICE void find_pixels() {
      P2MPP_UNROLL
      for (int j = 0; j < kRowTiles; ++j) {
        const int y = top[j] + ky;
        const int x = left[j] + kx;
        const bool inside =
            image[j] >= 0 && y >= 0 && y < arguments.input_height && x >= 0 && x < arguments.input_width;
        const std::int64_t at = ((image[j] * arguments.input_height + y) * arguments.input_width + x) *
                                    static_cast<std::int64_t>(arguments.input_stride) +
                                first_element(P::kDepth, lane_index());
        pixel[j] = inside ? static_cast<const Element*>(arguments.input) + at : nullptr;
      }
    }

    P2MPP_DEVICE Words<P::kChunkWords> chunk(int tile) const {
      if (pixel[tile] == nullptr) return {};
      return load_constant_words<P::kChunkWords>(pixel[tile] + channel);
    }

    P2MPP_DEVICE void next() {
      channel += P::kDepth;
      if (channel < arguments.input_stride) return;
      channel = 0;
      kx += 1;
      if (kx == arguments.kernel) {
        kx = 0;
        ky += 1;
      }
      find_pixels();
    }
  };

  P2MPP_DEVICE static void write(const Arguments& arguments, const Sums<1, kRowTiles>& sums, std::int64_t first_pixel,
                                 int pair) {
    const int channel = pair * kPairChannels + first_channel(lane_index());
    if (channel >= arguments.output_stride) return;
    float bias[4] = {0, 0, 0, 0};
    if (arguments.bias != nullptr) FloatElements::load(arguments.bias + channel, bias);
    P2MPP_UNROLL
    for (int j = 0; j < kRowTiles; ++j) {
      P2MPP_UNROLL
      for (int second = 0; second < 2; ++second) {
        const std::int64_t index = first_pixel + j * kTileRows + first_row(lane_index()) + second;
        if (index >= arguments.output_pixels) continue;
        float values[4];
        sums.take(0, j, second, values);
        P2MPP_UNROLL
        for (int i = 0; i < 4; ++i) {
          values[i] += bias[i];
          if (arguments.bias != nullptr) values[i] = values[i] < 0 ? 0 : values[i];  // NaN stays NaN
        }
        P::store(values, static_cast<Element*>(arguments.output) + index * arguments.output_stride + channel);
      }
    }
  }

  /// Adds the sums of the other slices, in their order, to the first's.
  P2MPP_DEVICE static void join_slices(const Arguments& arguments, int slice, Sums<1, kRowTiles>& sums) {
    float* shared = reinterpret_cast<float*>(shared_memory());
    float* flat = &sums.at[0][0][0];
    if (slice > 0) {
      P2MPP_UNROLL
      for (int i = 0; i < kConvolutionLaneSums; ++i) shared[i * kThreads + thread_index()] = flat[i];
    }
    block_barrier();
    if (slice > 0) return;
    for (int other = 1; other < arguments.slices; ++other) {
      P2MPP_UNROLL
      for (int i = 0; i < kConvolutionLaneSums; ++i) flat[i] += shared[i * kThreads + thread_index() + 32 * other];
    }
  }

  P2MPP_DEVICE static void run(const Arguments& arguments) {
    const int slice = warp_index() % arguments.slices;
    const int tile = warp_index() / arguments.slices;
    const int pair = block_y();
    const std::int64_t first_pixel =
        (static_cast<std::int64_t>(block_x()) * (kBlockWarps / arguments.slices) + tile) * kConvolutionWarpPixels;
    const int all_steps = arguments.kernel * arguments.kernel * arguments.input_stride / P::kDepth;
    const int first_step = all_steps * slice / arguments.slices;
    const int steps = all_steps * (slice + 1) / arguments.slices - first_step;
    Sums<1, kRowTiles> sums;
    sums.clear();
    if (first_pixel < arguments.output_pixels && steps > 0) {
      Cursor cursor(arguments, first_pixel, first_step);
      const std::size_t weight_step =
          static_cast<std::size_t>(pair) * static_cast<std::size_t>(all_steps) + static_cast<std::size_t>(first_step);
      multiply<P, 1>(sums, arguments.weights + weight_step * kPairWords<P>, 0, steps, cursor);
    }
    if (arguments.slices > 1) join_slices(arguments, slice, sums);
    if (slice == 0) write(arguments, sums, first_pixel, pair);
  }
};

}  // namespace
}  // namespace p2mpp::cuda
