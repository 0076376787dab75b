#pragma once

#include <string_view>

#include "p2mpp/export.h"

namespace p2mpp {

/// The instruction sets that the CPU kernels are compiled for. Each but the last includes the previous ones.
enum class InstructionSet {
  kPortable,    ///< the baseline of the architecture
  kAvx2,        ///< with FMA
  kAvx512,      ///< F, BW, DQ, VL
  kAvx512Bf16,  ///< and products of bf16 pairs
  kAmxBf16,     ///< and AMX: products of tiles of bf16
  kAmxEmulated  ///< portable; the kernels for AMX on an emulation of its tiles, to test them on every machine
};

/// "portable", "avx2", "avx512", "avx512_bf16", "amx_bf16", "amx_emulated"
[[nodiscard]] P2MPP_EXPORT std::string_view to_string(InstructionSet set);

}  // namespace p2mpp
