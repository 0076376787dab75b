#include "ops/cuda/kernels/deformation_reasoning.h"
#include "ops/cuda/kernels/launch.h"

namespace p2mpp {

void add_reasoning_kernels(CudaKernels& kernels) {
  kernels.reason = {cuda::launch<cuda::Reason<cuda::Fp32>>, nullptr, cuda::launch<cuda::Reason<cuda::Tf32>>,
                    cuda::launch<cuda::Reason<cuda::Bf16>>, cuda::launch<cuda::Reason<cuda::Fp16>>};
}

}  // namespace p2mpp
