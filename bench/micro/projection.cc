// The hypotheses of three vertices: projected into all views, sampled bilinearly, pooled.
#include "backends/cpu/projection.h"

#include <numeric>

#include "base/machine/instruction_set.h"
#include "micro/benchmarks.h"
#include "micro/measure.h"
#include "micro/network.h"

namespace p2mpp::micro {
namespace {

constexpr std::size_t kStatistics = 3;  // of the views: max, mean, std

void run_projection(benchmark::State& state, const Kernels<float>& kernels, std::span<const MapSize> maps) {
  const ProjectionScene scene(kernels, maps);
  const std::vector<float> points = hypotheses_of_a_panel();
  const std::size_t point_count = points.size() / 3;
  const std::size_t stride = padded_channels(scene.projection().layout().width());
  AlignedBuffer<float> rows(point_count * stride);
  Projection::Scratch scratch;
  for (auto _ : state) {
    scene.projection().run(points.data(), point_count, scratch, rows.data(), stride);
    benchmark::ClobberMemory();
  }
  const std::size_t channels = std::accumulate(maps.begin(), maps.end(), std::size_t{0},
                                               [](std::size_t sum, const MapSize& map) { return sum + map.channels; });
  const std::size_t bytes_of_channel = kViews * kMaxCorners * sizeof(float) + kStatistics * sizeof(float);
  count_bytes(state, static_cast<double>(point_count * channels * bytes_of_channel));
}

}  // namespace

void add_projection_benchmarks() {
  for (const InstructionSet set : usable_instruction_sets()) {
    const std::string name(to_string(set));
    add_benchmark("projection/stage1/" + name, Clock::kThread,
                  [set](benchmark::State& state) { run_projection(state, kernels_for<float>(set), kStage1MapSizes); });
    add_benchmark("projection/stage2/" + name, Clock::kThread,
                  [set](benchmark::State& state) { run_projection(state, kernels_for<float>(set), kStage2MapSizes); });
  }
}

}  // namespace p2mpp::micro
