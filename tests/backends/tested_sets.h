#pragma once

#include <vector>

#include "base/machine/instruction_set.h"

namespace p2mpp {

/// The instruction sets of the tests: those of this machine, and the emulation of AMX, which every machine can run.
inline std::vector<InstructionSet> tested_instruction_sets() {
  const auto usable = usable_instruction_sets();
  std::vector<InstructionSet> sets(usable.begin(), usable.end());
  sets.push_back(InstructionSet::kAmxEmulated);
  return sets;
}

}  // namespace p2mpp
