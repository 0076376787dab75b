// The sums over neighbours on one vertex's local graph.
#include "micro/benchmarks.h"
#include "micro/measure.h"
#include "micro/network.h"

namespace p2mpp::micro {
namespace {

template <class Element>
void run_neighbours(benchmark::State& state, const Kernels<Element>& kernels) {
  const Support& support = local_graph().support;
  const AlignedBuffer<float> x = random_operands<float>(support.size() * kHidden);
  AlignedBuffer<Element> sums(support.size() * kHidden);
  for (auto _ : state) {
    kernels.sum_neighbours(support.rows(), 0, support.size(), x.data(), kHidden, kHidden, sums.data(), 0);
    benchmark::ClobberMemory();
  }
  const std::size_t bytes_read = entry_count(support) * kHidden * sizeof(float);
  count_bytes(state, static_cast<double>(bytes_read + sums.size() * sizeof(Element)));
}

}  // namespace

void add_neighbour_benchmarks() {
  add_benchmarks("neighbours/local_graph", Clock::kThread,
                 [](benchmark::State& state, const auto& kernels, const auto& /*float_kernels*/) {
                   run_neighbours(state, kernels);
                 });
}

}  // namespace p2mpp::micro
