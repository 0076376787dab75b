#include "backends/cuda/kernels/convolution.h"
#include "backends/cuda/kernels/graph_convolution.h"
#include "backends/cuda/kernels/launch.h"

namespace p2mpp {

void add_product_kernels(CudaKernels& kernels) {
  kernels.convolve = {cuda::launch<cuda::Convolve<cuda::Fp32>>, cuda::launch<cuda::Convolve<cuda::Bf16x3>>,
                      cuda::launch<cuda::Convolve<cuda::Tf32>>, cuda::launch<cuda::Convolve<cuda::Bf16>>,
                      cuda::launch<cuda::Convolve<cuda::Fp16>>};
  kernels.convolve_graph = {cuda::launch<cuda::ConvolveGraph<cuda::Fp32>>,
                            cuda::launch<cuda::ConvolveGraph<cuda::Bf16x3>>, nullptr, nullptr, nullptr};
}

}  // namespace p2mpp
