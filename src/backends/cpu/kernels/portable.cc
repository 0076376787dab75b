#include "backends/cpu/kernels/all.h"
#include "backends/cpu/kernels/table.h"

namespace p2mpp {

const Kernels<float>& portable_float_kernels() { return kTable<float>; }
const Kernels<Bfloat16>& portable_bfloat16_kernels() { return kTable<Bfloat16>; }

}  // namespace p2mpp
