#pragma once

#include <cuda_runtime_api.h>

#include "ops/cuda/kernels.h"

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
  const dim3 grid(static_cast<unsigned>(launch.blocks_x), static_cast<unsigned>(launch.blocks_y));
  run_kernel<Kernel>
      <<<grid, static_cast<unsigned>(launch.threads), launch.shared_bytes, static_cast<cudaStream_t>(stream)>>>(
          arguments);
  return static_cast<int>(cudaGetLastError());
}

}  // namespace
}  // namespace p2mpp::cuda
