#include "eval/engine_subject.h"

#include <memory>

#include "engine/gemm_rate.h"

namespace p2mpp {

BenchmarkSubject open_engine_subject(const EngineOptions& options) {
  const auto engine = std::make_shared<Engine>(options);
  return {.reconstruct = [engine](std::span<const Sample> samples) { return engine->reconstruct(samples); },
          .measure_gemm_gflops = [engine] { return measure_gemm_gflops(*engine); },
          .device = to_string(engine->device().device),
          .backend = std::string(engine->backend()),
          .precision = std::string(to_string(engine->precision())),
          .threads = engine->threads(),
          .batch_choice = engine->batch_choice()};
}

}  // namespace p2mpp
