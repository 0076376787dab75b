#define P2MPP_HAS_NEON  // see vector.h
#include "backends/cpu/kernels/all.h"
#include "backends/cpu/kernels/table.h"

namespace p2mpp {

const Kernels<float>& neon_float_kernels() { return kTable<float>; }
const Kernels<Bfloat16>& neon_bfloat16_kernels() { return kTable<Bfloat16>; }

}  // namespace p2mpp
