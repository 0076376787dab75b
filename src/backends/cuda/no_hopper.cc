// Replaces hopper_reasoning.cu if nothing is compiled for sm_90a.
#include "backends/cuda/kernels.h"

namespace p2mpp {

void add_hopper_kernels(CudaKernels& /*kernels*/) {}

}  // namespace p2mpp
