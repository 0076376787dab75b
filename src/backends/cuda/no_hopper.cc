// Stands in for hopper_reasoning.cu where nothing is compiled for sm_90a.
#include "backends/cuda/kernels.h"

namespace p2mpp {

void add_hopper_kernels(CudaKernels& /*kernels*/) {}

}  // namespace p2mpp
