// An inner graph convolution of stage 1 on the finest mesh. The engine computes stage 1 in fp32 whatever the precision.
#include "backends/cpu/graph_convolution.h"

#include "micro/benchmarks.h"
#include "micro/measure.h"
#include "micro/network.h"

namespace p2mpp::micro {
namespace {

template <class Element>
void run_graph_convolution(benchmark::State& state, const Kernels<Element>& kernels) {
  const Support support(mesh_template().levels.back().support);
  const RandomGraphConvolution parameters(kHidden, kHidden);
  const GraphConvolution<Element> convolution(kernels, parameters.weights());
  const States<Element> x = random_states(kernels, support.size(), kHidden);
  States<Element> out(support.size(), kHidden);
  NeighbourSums<Element> neighbours;
  neighbours.reserve(kernels, x.stride());
  const Tiles tiles(support.size(), kernels);
  const KernelSession session(kernels);
  for (auto _ : state) {
    for (std::size_t tile = 0; tile < tiles.count; ++tile) {
      neighbours.sum(kernels, support.rows(), tiles.begin(tile), tiles.size(tile), x.row(0), x.stride());
      convolution.run_tile(x, tiles.begin(tile), tiles.size(tile), neighbours, Activation::kRelu, Residual::kNone, out);
    }
    benchmark::ClobberMemory();
  }
  const std::size_t multiply_adds = support.size() * 2 * kHidden * kHidden + entry_count(support) * kHidden;
  count_flop(state, 2.0 * static_cast<double>(multiply_adds));
}

}  // namespace

void add_graph_convolution_benchmarks() {
  add_benchmarks("graph_convolution/2466_vertices", Clock::kThread,
                 [](benchmark::State& state, const auto& kernels, const auto& /*float_kernels*/) {
                   run_graph_convolution(state, kernels);
                 });
}

}  // namespace p2mpp::micro
