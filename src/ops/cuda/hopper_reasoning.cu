// Compiled for sm_90a alone.
#include "ops/cuda/kernels/hopper_reasoning.h"
#include "ops/cuda/kernels/launch.h"

namespace p2mpp {

void add_hopper_kernels(CudaKernels& kernels) {
  kernels.reason_on_hopper = {nullptr, nullptr, nullptr, cuda::launch<cuda::ReasonOnHopper<cuda::Bf16>>,
                              cuda::launch<cuda::ReasonOnHopper<cuda::Fp16>>};
}

}  // namespace p2mpp
