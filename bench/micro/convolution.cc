// Layers of the image CNN.
#include "backends/cpu/convolution.h"

#include "micro/benchmarks.h"
#include "micro/measure.h"
#include "micro/network.h"

namespace p2mpp::micro {
namespace {

constexpr std::size_t kKernel = 3;  // pixels; the stride is 1

struct LayerSize {
  std::size_t in, out;  // channels
  int side;             // pixels
};
constexpr LayerSize kLayers[] = {{3, 16, 224}, {16, 16, 224}, {64, 64, 56}, {256, 256, 14}, {512, 512, 7}};

std::string name_of(const LayerSize& layer) {
  return "convolution/" + std::to_string(layer.in) + "_to_" + std::to_string(layer.out) + "_at_" +
         std::to_string(layer.side);
}

template <class Element>
void run_convolution(benchmark::State& state, const Kernels<Element>& kernels, const LayerSize& layer) {
  const std::vector<float> weight = random_values(layer.out * layer.in * kKernel * kKernel);
  const std::vector<float> bias = random_values(layer.out);
  const Convolution<Element> convolution(kernels, {.weight = weight, .bias = bias, .kernel = kKernel}, layer.side,
                                         layer.in);
  const auto input = random_maps<Element>(kViews, layer.side, layer.in, layer.in, convolution.border_before(),
                                          convolution.border_after());
  FeatureMaps<Element> output(layer.side, layer.out, layer.out, 1, 1);
  output.reserve(kViews);
  ThreadPool pool(1);
  for (auto _ : state) {
    convolution.run(input, {kViews}, output, nullptr, pool);
    benchmark::ClobberMemory();
  }
  const double pixels = static_cast<double>(kViews) * layer.side * layer.side;
  count_flop(state, 2 * pixels * static_cast<double>(weight.size()));
}

}  // namespace

void add_convolution_benchmarks() {
  for (const LayerSize& layer : kLayers) {
    add_benchmarks(name_of(layer), Clock::kThread,
                   [layer](benchmark::State& state, const auto& kernels, const auto& /*float_kernels*/) {
                     run_convolution(state, kernels, layer);
                   });
  }
}

}  // namespace p2mpp::micro
