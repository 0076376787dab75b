#define P2MPP_HAS_NEON  // see vector.h
#include "backends/cpu/kernels/all.h"
#include "backends/cpu/kernels/matrix_product.h"

namespace p2mpp {

const Kernels<Bfloat16>& neon_bf16_bfloat16_kernels() { return kMatrixTable; }

}  // namespace p2mpp
