#pragma once

#include "eval/benchmark.h"
#include "eval/stages.h"

namespace p2mpp {

// The engine as an evaluation and a benchmark see it. They themselves know no engine, and their tests need no model.

/// The engine must outlive what is returned.
[[nodiscard]] Reconstructor reconstructor_of(Engine& engine);

/// Nearest neighbours for scoring on a CUDA device, by our own kernels; for the CPU none, which means its own search.
/// Throws Error where the kernels cannot be used.
[[nodiscard]] NeighbourFinder neighbour_finder(Device device);

/// An OpenSubject: loads the model and makes it resident. Throws what Engine's constructor throws.
[[nodiscard]] BenchmarkSubject open_engine_subject(const EngineOptions& options);

}  // namespace p2mpp
