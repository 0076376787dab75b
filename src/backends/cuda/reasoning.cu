#include "backends/cuda/kernels/deformation_reasoning.h"
#include "backends/cuda/kernels/launch.h"

namespace p2mpp {

namespace {

template <class P>
int launch_reasoning(const Launch& launch, const ReasoningArguments& arguments, DeviceStream stream) {
  return hypothesis_rows(arguments.hypotheses) == 48 ? cuda::launch<cuda::Reason<P, 48>>(launch, arguments, stream)
                                                     : cuda::launch<cuda::Reason<P, 64>>(launch, arguments, stream);
}

}  // namespace

void add_reasoning_kernels(CudaKernels& kernels) {
  kernels.reason = {launch_reasoning<cuda::Fp32>, nullptr, launch_reasoning<cuda::Tf32>, launch_reasoning<cuda::Bf16>,
                    launch_reasoning<cuda::Fp16>};
}

}  // namespace p2mpp
