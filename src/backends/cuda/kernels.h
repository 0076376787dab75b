#pragma once

#include <array>
#include <cstddef>

#include "backends/cuda/arguments.h"
#include "backends/cuda/arithmetic.h"

namespace p2mpp {

/// A stream: a cudaStream_t, or the emulation's.
using DeviceStream = void*;

/// The launch configuration of a kernel.
struct Launch {
  int blocks_x = 1;
  int blocks_y = 1;
  int threads = 1;  ///< per block
  std::size_t shared_bytes = 0;
  bool cooperative = false;  ///< all blocks must be resident at the same time because they synchronise with each other
};

/// Queues a kernel. Returns 0 or the CUDA error.
template <class Arguments>
using LaunchFunction = int (*)(const Launch&, const Arguments&, DeviceStream);

/// The kernels, compiled by nvcc for GPUs or, for tests, by the C++ compiler for the emulation. Null: not available in
/// this arithmetic.
struct CudaKernels {
  LaunchFunction<ProjectionArguments> project;
  LaunchFunction<CombineArguments> combine;
  LaunchFunction<CoordinatesArguments> find_coordinates;
  LaunchFunction<NearestArguments> find_nearest;
  LaunchFunction<EvidenceArguments> find_evidence;

  // Indexed by arithmetic.
  std::array<LaunchFunction<PreprocessArguments>, kArithmeticCount> preprocess;       ///< all except kBf16x3 and kFp8
  std::array<LaunchFunction<ConvolutionArguments>, kArithmeticCount> convolve;        ///< all except kFp8
  std::array<LaunchFunction<GraphLayersArguments>, kArithmeticCount> convolve_graph;  ///< kFp32, kBf16x3
  std::array<LaunchFunction<ReasoningArguments>, kArithmeticCount> reason;            ///< all except kBf16x3 and kFp8
  std::array<LaunchFunction<ReasoningArguments>, kArithmeticCount> reason_on_hopper;  ///< kBf16, kFp16, kFp8; sm_90a
};

/// The kernel for one arithmetic.
template <class Arguments>
[[nodiscard]] LaunchFunction<Arguments> of(const std::array<LaunchFunction<Arguments>, kArithmeticCount>& kernels,
                                           Arithmetic arithmetic) {
  return kernels[static_cast<std::size_t>(arithmetic)];
}

/// The lowest compute capability that the kernels were compiled for, such as 80 for 8.0. Not available in the
/// emulation.
[[nodiscard]] int oldest_capability();

// Each source file with kernels registers its own.
void add_reasoning_kernels(CudaKernels& kernels);
void add_product_kernels(CudaKernels& kernels);
void add_other_kernels(CudaKernels& kernels);
void add_hopper_kernels(CudaKernels& kernels);

[[nodiscard]] inline CudaKernels all_kernels() {
  CudaKernels kernels{};
  add_reasoning_kernels(kernels);
  add_product_kernels(kernels);
  add_other_kernels(kernels);
  add_hopper_kernels(kernels);
  return kernels;
}

}  // namespace p2mpp
