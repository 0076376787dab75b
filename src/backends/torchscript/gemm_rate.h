#pragma once

#include "p2mpp/precision.h"

namespace p2mpp::torchscript {

/// How fast this CPU multiplies matrices, in 1e9 floating-point operations a second (two a multiply-add): the best of
/// six medians of LibTorch's oneDNN product with a weight packed beforehand, at the shape of most of a deformation
/// reasoning block's work: 256 vertices of 43 hypotheses, both 192x192 weights of a layer side by side, [11008,192]
/// times [192,384]. Takes about 0.7 s, and leaves LibTorch's number of threads at `threads`. NaN for a precision that
/// the CPU has no instructions for, and where LibTorch has no such product.
[[nodiscard]] double packed_gemm_gflops(Precision precision, int threads);

}  // namespace p2mpp::torchscript
