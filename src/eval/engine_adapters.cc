#include "eval/engine_adapters.h"

#include <memory>

namespace p2mpp {

Reconstructor reconstructor_of(Engine& engine) {
  return {[&engine](std::span<const Sample> samples) { return engine.reconstruct(samples); },
          [&engine](const Sample& sample, const Reconstruction& reconstruction, Frame frame) {
            return engine.mesh(sample, reconstruction, frame);
          }};
}

BenchmarkSubject open_engine_subject(const EngineOptions& options) {
  const auto engine = std::make_shared<Engine>(options);
  return {.reconstruct = [engine](std::span<const Sample> samples) { return engine->reconstruct(samples); },
          .device = to_string(engine->device().device),
          .backend = std::string(engine->backend()),
          .precision = std::string(to_string(engine->precision())),
          .threads = engine->threads()};
}

}  // namespace p2mpp
