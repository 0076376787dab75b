// Compiled only for sm_90a.
#include "backends/cuda/kernels/hopper_reasoning.h"
#include "backends/cuda/kernels/launch.h"

namespace p2mpp {

namespace {

template <class Operands>
int launch_on_hopper(const Launch& launch, const ReasoningArguments& arguments, DeviceStream stream) {
  return hypothesis_rows(arguments.hypotheses) == 48
             ? cuda::launch<cuda::HopperReasoningKernel<Operands, 48>>(launch, arguments, stream)
             : cuda::launch<cuda::HopperReasoningKernel<Operands, 64>>(launch, arguments, stream);
}

}  // namespace

void add_hopper_kernels(CudaKernels& kernels) {
  kernels.reason_on_hopper = {nullptr,
                              nullptr,
                              nullptr,
                              launch_on_hopper<cuda::HalfOperands<cuda::Bf16>>,
                              launch_on_hopper<cuda::HalfOperands<cuda::Fp16>>,
                              launch_on_hopper<cuda::Fp8Operands>};
}

}  // namespace p2mpp
