// A whole deformation reasoning block, projection included, on the vertices of level 1.
#include "backends/cpu/deformation_reasoning.h"

#include <algorithm>

#include "micro/benchmarks.h"
#include "micro/measure.h"
#include "micro/network.h"
#include "p2mpp/device.h"

namespace p2mpp::micro {
namespace {

std::vector<RandomGraphConvolution> random_layers() {
  std::vector<RandomGraphConvolution> layers;
  layers.emplace_back(kStage2ProjectedWidth, kHidden);
  while (layers.size() + 1 < kReasoningLayers) layers.emplace_back(kHidden, kHidden);
  layers.emplace_back(kHidden, 1);
  return layers;
}

std::vector<GraphConvolutionWeights> weights_of(std::span<const RandomGraphConvolution> layers) {
  std::vector<GraphConvolutionWeights> weights(layers.size());
  std::ranges::transform(layers, weights.begin(), &RandomGraphConvolution::weights);
  return weights;
}

double flop_of_vertex(std::span<const GraphConvolutionWeights> layers) {
  const Support& support = local_graph().support;
  std::size_t multiply_adds = 0;
  for (const GraphConvolutionWeights& layer : layers) {
    multiply_adds += support.size() * 2 * layer.in() * layer.out() + entry_count(support) * layer.out();
  }
  return 2.0 * static_cast<double>(multiply_adds);
}

template <class Element>
void run_reasoning(benchmark::State& state, const Kernels<Element>& kernels, const Kernels<float>& float_kernels,
                   int threads) {
  const std::vector<RandomGraphConvolution> parameters = random_layers();
  const std::vector<GraphConvolutionWeights> layers = weights_of(parameters);
  const ProjectionScene scene(float_kernels, kStage2MapSizes);
  DeformationReasoning<Element> reasoning(kernels, layers, scene.projection().layout(), local_graph(), false);
  const Points& vertices = vertices_of_level1();
  const std::span<const float> coordinates(vertices.front().data(), 3 * vertices.size());
  std::vector<float> moved(coordinates.size());
  ThreadPool pool(threads);
  for (auto _ : state) {
    benchmark::DoNotOptimize(reasoning.run(scene.projection(), coordinates, moved, pool, nullptr));
  }
  count_flop(state, static_cast<double>(vertices.size()) * flop_of_vertex(layers));
}

}  // namespace

void add_deformation_reasoning_benchmarks() {
  add_benchmarks("deformation_reasoning/one_thread", Clock::kThread,
                 [](benchmark::State& state, const auto& kernels, const auto& float_kernels) {
                   run_reasoning(state, kernels, float_kernels, 1);
                 });
  add_benchmarks("deformation_reasoning/all_cores", Clock::kWall,
                 [](benchmark::State& state, const auto& kernels, const auto& float_kernels) {
                   run_reasoning(state, kernels, float_kernels, physical_core_count());
                 });
}

}  // namespace p2mpp::micro
