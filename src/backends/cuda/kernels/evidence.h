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

}  // namespace
}  // namespace p2mpp::cuda
