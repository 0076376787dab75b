#pragma once

#include <span>

#include "backends/common/finding.h"
#include "p2mpp/instruction_set.h"

namespace p2mpp {

/// Checks the table behind choose_instruction_set(): measures a small product of bf16 with each of `sets`. The error is
/// the time of `chosen` over that of the fastest set, minus 1. Takes some milliseconds. Precondition: this machine
/// supports the sets, and `chosen` is one of them.
[[nodiscard]] Finding check_choice_for_bf16(std::span<const InstructionSet> sets, InstructionSet chosen);

}  // namespace p2mpp
