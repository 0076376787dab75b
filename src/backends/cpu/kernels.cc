#include "backends/cpu/kernels.h"

#include "backends/cpu/kernels/all.h"

namespace p2mpp {

template <>
const Kernels<float>& kernels_for(InstructionSet set) {
  switch (set) {
#if defined(__x86_64__)
    case InstructionSet::kAvx2:
      return avx2_float_kernels();
    case InstructionSet::kAvx512:
      return avx512_float_kernels();
    case InstructionSet::kAmxBf16:
    case InstructionSet::kAvx512Bf16:
      return avx512_bf16_float_kernels();
#elif defined(__aarch64__)
    case InstructionSet::kNeon:
    case InstructionSet::kNeonBf16:
      return neon_float_kernels();
#endif
    default:
      return portable_float_kernels();
  }
}

template <>
const Kernels<Bfloat16>& kernels_for(InstructionSet set) {
  switch (set) {
#if defined(__x86_64__)
    case InstructionSet::kAvx2:
      return avx2_bfloat16_kernels();
    case InstructionSet::kAvx512:
      return avx512_bfloat16_kernels();
    case InstructionSet::kAvx512Bf16:
      return avx512_bf16_bfloat16_kernels();
    case InstructionSet::kAmxBf16:
      return amx_bf16_bfloat16_kernels();
#elif defined(__aarch64__)
    case InstructionSet::kNeon:
      return neon_bfloat16_kernels();
    case InstructionSet::kNeonBf16:
      return neon_bf16_bfloat16_kernels();
#endif
    case InstructionSet::kAmxEmulated:
      return amx_emulated_bfloat16_kernels();
    default:
      return portable_bfloat16_kernels();
  }
}

}  // namespace p2mpp
