#pragma once

#include <memory>

#include "backends/backend.h"
#include "backends/distance_network.h"
#include "p2mpp/precision.h"

namespace p2mpp::torchscript {

/// See make_torchscript_backend() in backends/companion_library.h.
[[nodiscard]] std::unique_ptr<Backend> make_backend(const Model& model, const BackendOptions& options);

/// See make_torchscript_distance_network() in backends/companion_library.h.
[[nodiscard]] std::unique_ptr<DistanceNetwork> make_distance_network(const Model& model, const BackendOptions& options);

/// This CPU's matrix multiplication rate in 1e9 floating-point operations per second (a multiply-add counts as two).
/// Takes the best of six medians of LibTorch's oneDNN product with pre-packed weights, [11008,192] times [192,384]: the
/// bulk of a deformation reasoning block's work, with 256 vertices of 43 hypotheses and a layer's two 192x192 weights
/// side by side. Takes about 0.7 s and leaves LibTorch's number of threads at `threads`. NaN if the CPU has no
/// instructions for the precision or LibTorch has no such product.
[[nodiscard]] double packed_gemm_gflops(Precision precision, int threads);

}  // namespace p2mpp::torchscript
