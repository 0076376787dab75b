#pragma once

#include <string_view>

#include "p2mpp/export.h"

namespace p2mpp {

/// The instruction sets that the CPU kernels are compiled for. Each includes the previous ones.
enum class InstructionSet {
  kPortable,    ///< the baseline of the architecture
  kAvx2,        ///< with FMA
  kAvx512,      ///< F, BW, DQ, VL
  kAvx512Bf16,  ///< and products of bf16 pairs
};

/// "portable", "avx2", "avx512", "avx512_bf16"
[[nodiscard]] P2MPP_EXPORT std::string_view to_string(InstructionSet set);

}  // namespace p2mpp
