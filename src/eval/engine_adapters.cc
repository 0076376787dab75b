#include "eval/engine_adapters.h"

#include <limits>
#include <memory>

#include "backend/cuda_library.h"
#include "backend/libtorch.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

double gemm_gflops(const Engine& engine) {
  const bool cpu = engine.device().device.kind == DeviceKind::kCpu;
  return cpu ? packed_gemm_gflops(engine.precision(), engine.threads()) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

Reconstructor reconstructor_of(Engine& engine) {
  return {.batches_in_flight = engine.batches_in_flight(),
          .submit = [&engine](std::span<const Sample> samples) { engine.submit(samples); },
          .collect = [&engine] { return engine.collect(); },
          .take_device_spans = [&engine] { return engine.take_device_spans(); },
          .mesh = [&engine](const Sample& sample, const Reconstruction& reconstruction,
                            Frame frame) { return engine.mesh(sample, reconstruction, frame); }};
}

NeighbourFinder neighbour_finder(Device device) {
  if (device.kind == DeviceKind::kCpu) return {};
  if (const std::string problem = cuda_library_problem(device.index); !problem.empty()) throw Error(problem);
  return [index = device.index](std::span<const Eigen::Vector3f> queries, std::span<const Eigen::Vector3f> targets) {
    return cuda_nearest_neighbours(index, queries, targets);
  };
}

BenchmarkSubject open_engine_subject(const EngineOptions& options) {
  const auto engine = std::make_shared<Engine>(options);
  return {.reconstruct = [engine](std::span<const Sample> samples) { return engine->reconstruct(samples); },
          .measure_gemm_gflops = [engine] { return gemm_gflops(*engine); },
          .device = to_string(engine->device().device),
          .backend = std::string(engine->backend()),
          .precision = std::string(to_string(engine->precision())),
          .threads = engine->threads(),
          .batch_choice = engine->batch_choice()};
}

}  // namespace p2mpp
