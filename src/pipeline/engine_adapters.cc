#include "pipeline/engine_adapters.h"

namespace p2mpp {

Reconstructor reconstructor_of(Engine& engine) {
  return {.batches_in_flight = engine.batches_in_flight(),
          .submit = [&engine](std::span<const Sample> samples) { engine.submit(samples); },
          .collect = [&engine] { return engine.collect(); },
          .take_device_spans = [&engine] { return engine.take_device_spans(); },
          .mesh = [&engine](const Sample& sample, const Reconstruction& reconstruction,
                            Frame frame) { return engine.mesh(sample, reconstruction, frame); }};
}

}  // namespace p2mpp
