#pragma once

#include <span>
#include <string_view>

namespace p2mpp {

/// What the CPU kernels are compiled for. Each includes what stands before it.
enum class InstructionSet {
  kPortable,    ///< what every processor of the architecture has
  kAvx2,        ///< with FMA
  kAvx512,      ///< F, BW, DQ, VL
  kAvx512Bf16,  ///< and products of bf16 pairs
};

/// "portable", "avx2", "avx512", "avx512_bf16"
[[nodiscard]] std::string_view to_string(InstructionSet set);

/// Those that this machine can run, the most capable last; never empty.
[[nodiscard]] std::span<const InstructionSet> usable_instruction_sets();

/// Resolves "auto" (the most capable) or a name. Throws UsageError for what does not exist or this machine lacks.
[[nodiscard]] InstructionSet choose_instruction_set(std::string_view text);

}  // namespace p2mpp
