#pragma once

#include "backends/cuda/arguments.h"
#include "backends/cuda/kernels/arithmetic.h"
#include "backends/cuda/tiling.h"

namespace p2mpp::cuda {
namespace {

/// One thread per pixel; one row of blocks per image.
struct FindEvidence {
  using Arguments = EvidenceArguments;
  static constexpr int kThreads = kBlockThreads;
  static constexpr int kBlocksAtOnce = 1;

  P2MPP_DEVICE static void run(const Arguments& arguments) {
    constexpr int kPixels = kResizedSide * kResizedSide;
    const int pixel = block_x() * kThreads + thread_index();
    if (pixel >= kPixels) return;
    const std::size_t first = static_cast<std::size_t>(block_y()) * kPixels;
    const std::size_t at = first + static_cast<std::size_t>(pixel);
    const int x = pixel % kResizedSide;
    if (arguments.masks != nullptr) {
      arguments.rows[at] = row_distance(arguments.masks + (at - static_cast<std::size_t>(x)), x);
      return;
    }
    float found[kEvidenceChannels];
    find_evidence(arguments.rows + first, x, pixel / kResizedSide, found);
    P2MPP_UNROLL
    for (std::size_t i = 0; i < kEvidenceChannels; ++i) arguments.evidence[kEvidenceChannels * at + i] = found[i];
  }
};

/// One thread per output pixel; one row of blocks per image.
template <class P>
struct Preprocess {
  using Arguments = PreprocessArguments;
  static constexpr int kThreads = kBlockThreads;
  static constexpr int kBlocksAtOnce = 1;

  /// Blue, green, red, and the mask.
  P2MPP_DEVICE static std::int32_t read_channel(const std::uint8_t* rgba, int channel, bool blend, MaskSource mask) {
    return static_cast<std::int32_t>(channel < 3 ? composite(blend, rgba[2 - channel], rgba[3])
                                                 : object_share(mask, rgba[0], rgba[1], rgba[2], rgba[3]));
  }

  P2MPP_DEVICE static std::int32_t column_mix(const std::uint8_t* row, const Tap& tap, int second, int channel,
                                              bool blend, MaskSource mask) {
    return mix_columns(tap, read_channel(row + 4 * tap.first, channel, blend, mask),
                       read_channel(row + 4 * second, channel, blend, mask));
  }

  P2MPP_DEVICE static int clamped(int value, int last) { return value < 0 ? 0 : value > last ? last : value; }

  P2MPP_DEVICE static std::size_t element_index(int image, int pixel) {
    return (static_cast<std::size_t>(image) * kResizedSide * kResizedSide + static_cast<std::size_t>(pixel)) *
           kPixelStride;
  }

  P2MPP_DEVICE static void run(const Arguments& arguments) {
    const int pixel = block_x() * kThreads + thread_index();
    if (pixel >= kResizedSide * kResizedSide) return;
    const int image_index = block_y();
    const SourceImage image = arguments.images[image_index];
    const Tap row_tap = arguments.rows[image_index * kResizedSide + pixel / kResizedSide];
    const Tap column_tap = arguments.columns[image_index * kResizedSide + pixel % kResizedSide];
    const std::uint8_t* pixels = arguments.pixels + image.offset;
    const std::size_t row_bytes = std::size_t{4} * static_cast<std::size_t>(image.width);
    const std::uint8_t* upper = pixels + static_cast<std::size_t>(clamped(row_tap.first, image.height - 1)) * row_bytes;
    const std::uint8_t* lower =
        pixels + static_cast<std::size_t>(clamped(row_tap.first + 1, image.height - 1)) * row_bytes;
    const int second = clamped(column_tap.first + 1, image.width - 1);
    float values[4] = {0, 0, 0, 0};
    P2MPP_UNROLL
    for (int channel = 0; channel < 4; ++channel) {
      const std::int32_t mixed =
          mix_rows(row_tap, column_mix(upper, column_tap, second, channel, arguments.blend, image.mask),
                   column_mix(lower, column_tap, second, channel, arguments.blend, image.mask));
      values[channel] = static_cast<float>(mixed) / 255.0F;
      if (channel == 3 && arguments.masks != nullptr && image.stage2 >= 0) {
        constexpr std::size_t kPixels = std::size_t{kResizedSide} * kResizedSide;
        const std::size_t at = static_cast<std::size_t>(image.stage2) * kPixels + static_cast<std::size_t>(pixel);
        arguments.masks[at] = static_cast<std::uint8_t>(mixed);
      }
    }
    const std::size_t at1 = element_index(image.stage1, pixel);
    const std::size_t at2 = element_index(image.stage2, pixel);
    P2MPP_UNROLL
    for (int channel = 0; channel < kPixelStride; channel += 4) {
      if (image.stage1 >= 0) FloatElements::store(values, arguments.stage1 + at1 + channel);
      if (image.stage2 >= 0) P::store(values, static_cast<typename P::Element*>(arguments.stage2) + at2 + channel);
      P2MPP_UNROLL
      for (int i = 0; i < 4; ++i) values[i] = 0;
    }
  }
};

}  // namespace
}  // namespace p2mpp::cuda
