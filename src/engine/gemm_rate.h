#pragma once

#include "p2mpp/engine.h"

namespace p2mpp {

/// GFLOP/s of the best matrix product that LibTorch has for the engine's CPU, precision and threads; NaN on a GPU, and
/// where LibTorch cannot be loaded. Takes a few seconds.
[[nodiscard]] double measure_gemm_gflops(const Engine& engine);

}  // namespace p2mpp
