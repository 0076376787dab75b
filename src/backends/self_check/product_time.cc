#include "backends/self_check/product_time.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "backends/cpu/packed_weights.h"

namespace p2mpp {
namespace {

// A layer of deformation reasoning: whole tiles of every set.
constexpr std::size_t kTimedRows = 224;
constexpr std::size_t kTimedDepth = 192;
constexpr std::size_t kTimedColumns = 192;
constexpr int kTimedRounds = 10;
// The sets differ by factors, and a busy machine disturbs.
constexpr double kChoiceTolerance = 0.5;

double milliseconds_of_product(InstructionSet set) {
  using Clock = std::chrono::steady_clock;
  const Kernels<Bfloat16>& kernels = kernels_for<Bfloat16>(set);
  const PackedWeights<Bfloat16> weights(kernels, 1, kTimedDepth, kTimedColumns,
                                        [](std::size_t, std::size_t) { return 1.0F; });
  const AlignedBuffer<Bfloat16> x(kTimedRows * kTimedDepth);
  AlignedBuffer<float> out(kTimedRows * kTimedColumns);
  const Tiles tiles(kTimedRows, kernels);
  Product<Bfloat16> product = product_with(weights);
  product.row_stride = kTimedDepth;
  product.out_stride = kTimedColumns;
  const KernelSession session(kernels);
  auto fastest = Clock::duration::max();
  for (int round = 0; round < kTimedRounds; ++round) {
    const auto begin = Clock::now();
    for (std::size_t tile = 0; tile < tiles.count; ++tile) {
      product.segments[0] = x.data() + tiles.begin(tile) * kTimedDepth;
      product.rows = static_cast<int>(tiles.size(tile));
      product.out_float = out.data() + tiles.begin(tile) * kTimedColumns;
      kernels.multiply(product);
    }
    fastest = std::min(fastest, Clock::now() - begin);
  }
  return std::chrono::duration<double, std::milli>(fastest).count();
}

}  // namespace

Finding check_choice_for_bf16(std::span<const InstructionSet> sets, InstructionSet chosen) {
  double fastest = std::numeric_limits<double>::infinity();
  for (const InstructionSet set : sets) fastest = std::min(fastest, milliseconds_of_product(set));
  return {.what = "auto's products of bf16, time over the fastest set's, minus 1",
          .error = std::max(0.0, milliseconds_of_product(chosen) / fastest - 1),
          .tolerance = kChoiceTolerance};
}

}  // namespace p2mpp
