#pragma once

#include "eval/benchmark.h"

namespace p2mpp {

/// An OpenSubject: loads the model and makes it resident. Throws what Engine's constructor throws.
[[nodiscard]] BenchmarkSubject open_engine_subject(const EngineOptions& options);

}  // namespace p2mpp
