#include "backends/cuda/kernels/preprocess.h"
#include "backends/cuda/kernels/graph_convolution.h"
#include "backends/cuda/kernels/launch.h"
#include "backends/cuda/kernels/nearest.h"
#include "backends/cuda/kernels/projection.h"

namespace p2mpp {

#if defined(__CUDACC__)
int oldest_capability() {
  constexpr int kCompiled[] = {__CUDA_ARCH_LIST__};  // in ascending order, 800 for 8.0
  return kCompiled[0] / 10;
}
#endif

void add_other_kernels(CudaKernels& kernels) {
  kernels.project = cuda::launch<cuda::Project>;
  kernels.combine = cuda::launch<cuda::Combine>;
  kernels.find_coordinates = cuda::launch<cuda::FindCoordinates>;
  kernels.find_nearest = cuda::launch<cuda::FindNearest>;
  kernels.find_evidence = cuda::launch<cuda::FindEvidence>;
  kernels.preprocess = {cuda::launch<cuda::Preprocess<cuda::Fp32>>, nullptr, cuda::launch<cuda::Preprocess<cuda::Tf32>>,
                        cuda::launch<cuda::Preprocess<cuda::Bf16>>, cuda::launch<cuda::Preprocess<cuda::Fp16>>};
}

}  // namespace p2mpp
