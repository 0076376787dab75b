#pragma once

#include "backends/cpu/kernels.h"

namespace p2mpp {

const Kernels<float>& portable_float_kernels();
const Kernels<Bfloat16>& portable_bfloat16_kernels();
const Kernels<float>& avx2_float_kernels();
const Kernels<Bfloat16>& avx2_bfloat16_kernels();
const Kernels<float>& avx512_float_kernels();
const Kernels<Bfloat16>& avx512_bfloat16_kernels();
const Kernels<float>& avx512_bf16_float_kernels();
const Kernels<Bfloat16>& avx512_bf16_bfloat16_kernels();
const Kernels<Bfloat16>& amx_bf16_bfloat16_kernels();
const Kernels<float>& neon_float_kernels();
const Kernels<Bfloat16>& neon_bfloat16_kernels();
const Kernels<Bfloat16>& neon_bf16_bfloat16_kernels();
const Kernels<Bfloat16>& amx_emulated_bfloat16_kernels();

}  // namespace p2mpp
