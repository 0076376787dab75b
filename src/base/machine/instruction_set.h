#pragma once

#include <span>
#include <string_view>

#include "p2mpp/instruction_set.h"

namespace p2mpp {

/// The instruction sets that this machine supports, the most capable last; never empty. The emulation, which every
/// machine supports, is not among them.
[[nodiscard]] std::span<const InstructionSet> usable_instruction_sets();

/// Resolves "auto" (the most capable) or a name. Throws UsageError if it does not exist or is not supported here.
[[nodiscard]] InstructionSet choose_instruction_set(std::string_view text);

}  // namespace p2mpp
