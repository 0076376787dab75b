// A full tile of rows times the weights of a graph convolution: what most of the network's time goes into.
#include "micro/benchmarks.h"
#include "micro/measure.h"
#include "micro/network.h"

namespace p2mpp::micro {
namespace {

constexpr std::size_t kSegments = 2;  // [x | T1 x]

template <class Element>
void run_product(benchmark::State& state, const Kernels<Element>& kernels, std::size_t depth) {
  const auto rows = static_cast<std::size_t>(kernels.tile_rows);
  const std::size_t row_stride = padded_channels(depth);
  const AlignedBuffer<Element> x = random_operands<Element>(kSegments * rows * row_stride);
  const std::vector<float> matrix = random_values(kSegments * depth * kHidden);
  const PackedWeights<Element> weights(kernels, kSegments, depth, kHidden, [&](std::size_t row, std::size_t column) {
    return matrix[row * kHidden + column];
  });
  const AlignedBuffer<float> bias(kHidden);
  States<Element> out(rows, kHidden);
  Product<Element> product = product_with(weights);
  for (std::size_t i = 0; i < kSegments; ++i) product.segments[i] = x.data() + i * rows * row_stride;
  product.row_stride = row_stride;
  product.rows = kernels.tile_rows;
  product.bias = bias.data();
  product.relu = true;
  product.out_stride = out.stride();
  product.out_float = out.row(0);
  product.out_element = out.rounded(0);
  const KernelSession session(kernels);
  for (auto _ : state) {
    kernels.multiply(product);
    benchmark::ClobberMemory();
  }
  count_flop(state, 2.0 * static_cast<double>(rows * kSegments * depth * kHidden));
}

}  // namespace

void add_product_benchmarks() {
  add_benchmarks("product/first_layer", Clock::kThread,
                 [](benchmark::State& state, const auto& kernels, const auto& /*float_kernels*/) {
                   run_product(state, kernels, kStage2ProjectedWidth);
                 });
  add_benchmarks("product/inner_layer", Clock::kThread,
                 [](benchmark::State& state, const auto& kernels, const auto& /*float_kernels*/) {
                   run_product(state, kernels, kHidden);
                 });
}

}  // namespace p2mpp::micro
