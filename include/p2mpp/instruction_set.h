#pragma once

#include <span>
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

/// The instruction sets that this machine supports, the most capable last; never empty.
[[nodiscard]] P2MPP_EXPORT std::span<const InstructionSet> usable_instruction_sets();

/// Resolves "auto" (the most capable) or a name. Throws UsageError if it does not exist or is not supported here.
[[nodiscard]] P2MPP_EXPORT InstructionSet choose_instruction_set(std::string_view text);

}  // namespace p2mpp
