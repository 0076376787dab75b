#pragma once

#include "backends/cuda/arguments.h"
#include "backends/cuda/kernels/product.h"
#include "backends/cuda/tiling.h"

namespace p2mpp::cuda {
namespace {

/// A block has eight warps; grid: tiles of pixels, pairs of tiles of channels. A warp computes 32 channels of 32 pixels
/// for its slice of the depth. Pixels are read directly from global memory, 8 or 16 bytes per lane, and are zero
/// outside the image; blocks that share pixels find them in the caches.
template <class P>
struct Convolve {
  using Arguments = ConvolutionArguments;
  using Element = typename P::Element;
  static constexpr int kThreads = kBlockThreads;
  static constexpr int kBlocksAtOnce = 1;
  static constexpr int kRowTiles = kConvolutionRowTiles;
  static constexpr int kBeyond = -(1 << 30);  // a row outside every image

  /// Steps through kernel rows, kernel columns and channels. Pixels differ only in the address of the kernel's first
  /// position. The offset from there is the same for all pixels.
  struct Cursor {
    static constexpr bool kAhead = true;

    const Arguments& arguments;
    std::uintptr_t first[kRowTiles];  // the lane's piece at the kernel's first position; may be outside the image
    int top[kRowTiles], left[kRowTiles];
    int ky, kx, channel;
    int offset;  // bytes from the first position

    P2MPP_DEVICE Cursor(const Arguments& all, std::int64_t first_pixel, int first_step) : arguments(all) {
      const int steps_at_position = all.input_stride / P::kDepth;
      const int position = first_step / steps_at_position;
      ky = position / all.kernel;
      kx = position % all.kernel;
      channel = first_step % steps_at_position * P::kDepth;
      offset = bytes_of((ky * all.input_width + kx) * all.input_stride + channel);
      const int image_pixels = all.output_height * all.output_width;
      P2MPP_UNROLL
      for (int j = 0; j < kRowTiles; ++j) {
        const std::int64_t index = first_pixel + j * kTileRows + lane_group(lane_index());
        const std::int64_t image = index / image_pixels;
        const auto in_image = static_cast<int>(index % image_pixels);
        top[j] = in_image / all.output_width * all.stride - all.border_before;
        left[j] = in_image % all.output_width * all.stride - all.border_before;
        const std::int64_t at = ((image * all.input_height + top[j]) * all.input_width + left[j]) * all.input_stride +
                                first_element(P::kDepth, lane_index());
        first[j] = reinterpret_cast<std::uintptr_t>(all.input) +
                   static_cast<std::uintptr_t>(at * static_cast<std::int64_t>(sizeof(Element)));
        if (index >= all.output_pixels) top[j] = kBeyond;
      }
    }

    P2MPP_DEVICE static constexpr int bytes_of(int elements) { return elements * static_cast<int>(sizeof(Element)); }

    P2MPP_DEVICE Words<P::kChunkWords> chunk(int tile) const {
      // The unsigned comparison also rejects negative positions.
      const bool inside = static_cast<unsigned>(top[tile] + ky) < static_cast<unsigned>(arguments.input_height) &&
                          static_cast<unsigned>(left[tile] + kx) < static_cast<unsigned>(arguments.input_width);
      if (!inside) return {};
      return load_constant_words<P::kChunkWords>(
          reinterpret_cast<const void*>(first[tile] + static_cast<std::uintptr_t>(static_cast<std::intptr_t>(offset))));
    }

    P2MPP_DEVICE void next() {
      channel += P::kDepth;
      offset += bytes_of(P::kDepth);
      if (channel < arguments.input_stride) return;
      channel = 0;
      kx += 1;
      if (kx < arguments.kernel) return;
      kx = 0;
      ky += 1;
      offset += bytes_of((arguments.input_width - arguments.kernel) * arguments.input_stride);
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

  /// Adds the sums of the other slices to the first slice's, in order.
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
