#pragma once

#if defined(__CUDACC__)
#include <cuda_runtime.h>

#include "backends/cuda/kernels.h"

namespace p2mpp::cuda {
namespace {

template <class Kernel>
__global__ void __launch_bounds__(Kernel::kThreads, Kernel::kBlocksAtOnce)
    run_kernel(const __grid_constant__ typename Kernel::Arguments arguments) {
  Kernel::run(arguments);
}

/// A LaunchFunction.
template <class Kernel>
int launch(const Launch& launch, const typename Kernel::Arguments& arguments, DeviceStream stream) {
  constexpr std::size_t kWithoutAsking = 48 * 1024;
  if (launch.shared_bytes > kWithoutAsking) {
    const cudaError_t status = cudaFuncSetAttribute(run_kernel<Kernel>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                    static_cast<int>(launch.shared_bytes));
    if (status != cudaSuccess) return static_cast<int>(status);
  }
  cudaLaunchAttribute attributes[2]{};
  attributes[0].id = cudaLaunchAttributePriority;  // the stream's; a graph stores it for each kernel
  const cudaError_t status = cudaStreamGetPriority(static_cast<cudaStream_t>(stream), &attributes[0].val.priority);
  if (status != cudaSuccess) return static_cast<int>(status);
  attributes[1].id = cudaLaunchAttributeCooperative;
  attributes[1].val.cooperative = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(launch.blocks_x), static_cast<unsigned>(launch.blocks_y));
  config.blockDim = dim3(static_cast<unsigned>(launch.threads));
  config.dynamicSmemBytes = launch.shared_bytes;
  config.stream = static_cast<cudaStream_t>(stream);
  config.attrs = attributes;
  config.numAttrs = launch.cooperative ? 2 : 1;
  return static_cast<int>(cudaLaunchKernelEx(&config, run_kernel<Kernel>, arguments));
}

}  // namespace
}  // namespace p2mpp::cuda

#else
#include "emulation/launch_emulated.h"
#endif
