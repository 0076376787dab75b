#pragma once

#include "p2mpp/engine.h"
#include "p2mpp/device.h"
#include "p2mpp/metrics.h"

namespace p2mpp {

/// GFLOP/s of LibTorch's fastest matrix product on the engine's CPU, with its precision and threads; NaN on a GPU or if
/// LibTorch cannot be loaded. Takes a few seconds.
[[nodiscard]] double measure_gemm_gflops(const Engine& engine);

/// The nearest-neighbour search for scoring on a device: p2mpp's CUDA kernels on a GPU. Empty on a CPU, which selects
/// the search of metrics.h. Throws Error if the kernels cannot be used.
[[nodiscard]] NeighbourFinder neighbour_finder(Device device);

}  // namespace p2mpp
