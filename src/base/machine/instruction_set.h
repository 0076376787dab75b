#pragma once

#include <span>
#include <string>
#include <string_view>

#include "p2mpp/instruction_set.h"

namespace p2mpp {

/// The instruction sets that this machine supports, the most capable last; never empty. The emulation, which every
/// machine supports, is not among them.
[[nodiscard]] std::span<const InstructionSet> usable_instruction_sets();

/// Whether the kernels of a set multiply tiles (AMX).
[[nodiscard]] constexpr bool multiplies_tiles(InstructionSet set) {
  return set == InstructionSet::kAmxBf16 || set == InstructionSet::kAmxEmulated;
}

/// The operands of the products that a set is chosen for.
enum class Products { kFp32, kBf16 };

/// Resolves "auto" or a name. auto is the most capable set for fp32, and fastest_for_bf16() for bf16. Throws UsageError
/// if the name does not exist or is not supported here.
[[nodiscard]] InstructionSet choose_instruction_set(std::string_view text, Products products = Products::kFp32);

/// The set that multiplies bf16 fastest. A table and no measurement, because the bytes of results depend on the set.
/// Intel's AVX-512 BF16 is slower than the same products in fp32 instructions (bench/RESULTS.md).
[[nodiscard]] InstructionSet fastest_for_bf16(std::span<const InstructionSet> usable, bool is_intel);

/// How products of bf16 compare with products of fp32 on this processor.
struct Bf16Speed {
  bool is_faster;
  std::string reason;  ///< one clause
};
[[nodiscard]] Bf16Speed bf16_speed(InstructionSet set, bool is_intel);
[[nodiscard]] Bf16Speed bf16_speed(InstructionSet set);  ///< on this processor

/// Why this process cannot multiply tiles of bf16 with AMX (one clause); empty if it can. The first call asks the
/// kernel for the permission, which holds for all threads of the process, and tries one product.
[[nodiscard]] std::string_view amx_bf16_obstacle();

}  // namespace p2mpp
