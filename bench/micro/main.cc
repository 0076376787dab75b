#include <benchmark/benchmark.h>

#include "base/machine/host.h"
#include "micro/benchmarks.h"
#include "p2mpp/device.h"

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::AddCustomContext("processor", p2mpp::cpu_name());
  benchmark::AddCustomContext("physical cores", std::to_string(p2mpp::physical_core_count()));
  p2mpp::micro::add_product_benchmarks();
  p2mpp::micro::add_convolution_benchmarks();
  p2mpp::micro::add_neighbour_benchmarks();
  p2mpp::micro::add_projection_benchmarks();
  p2mpp::micro::add_graph_convolution_benchmarks();
  p2mpp::micro::add_deformation_reasoning_benchmarks();
  p2mpp::micro::add_preprocess_benchmarks();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
