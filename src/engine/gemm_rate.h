#pragma once

#include "p2mpp/engine.h"

namespace p2mpp {

/// GFLOP/s of LibTorch's fastest matrix product on the engine's CPU, with its precision and threads; NaN on a GPU or if
/// LibTorch cannot be loaded. Takes a few seconds.
[[nodiscard]] double measure_gemm_gflops(const Engine& engine);

}  // namespace p2mpp
