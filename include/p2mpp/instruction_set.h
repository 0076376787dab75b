#pragma once

#include <string_view>

#include "p2mpp/export.h"

namespace p2mpp {

/// The instruction sets that the CPU kernels are compiled for. Those of one architecture include each other, in order.
enum class InstructionSet {
  kPortable,  ///< the baseline of the architecture
  // x86
  kAvx2,        ///< with FMA
  kAvx512,      ///< F, BW, DQ, VL
  kAvx512Bf16,  ///< and products of bf16 pairs
  kAmxBf16,     ///< and AMX: products of tiles of bf16
  // 64-bit Arm
  kNeon,      ///< Advanced SIMD, which every processor has
  kNeonBf16,  ///< and BFMMLA: products of matrices of bf16
  // any
  kAmxEmulated  ///< portable; the kernels for AMX on an emulation of its tiles, to test them on every machine
};

/// "portable", "avx2", "avx512", "avx512_bf16", "amx_bf16", "neon", "neon_bf16", "amx_emulated"
[[nodiscard]] P2MPP_EXPORT std::string_view to_string(InstructionSet set);

}  // namespace p2mpp
