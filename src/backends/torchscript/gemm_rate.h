#pragma once

#include "p2mpp/precision.h"

namespace p2mpp::torchscript {

/// This CPU's matrix multiplication rate in 1e9 floating-point operations per second (a multiply-add counts as two).
/// Takes the best of six medians of LibTorch's oneDNN product with pre-packed weights, [11008,192] times [192,384]: the
/// bulk of a deformation reasoning block's work, with 256 vertices of 43 hypotheses and a layer's two 192x192 weights
/// side by side. Takes about 0.7 s and leaves LibTorch's number of threads at `threads`. NaN if the CPU has no
/// instructions for the precision or LibTorch has no such product.
[[nodiscard]] double packed_gemm_gflops(Precision precision, int threads);

}  // namespace p2mpp::torchscript
