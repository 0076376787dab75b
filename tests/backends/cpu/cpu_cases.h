#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "backends/common/finding.h"
#include "backends/cpu/kernels.h"
#include "backends/cpu/operand_storage.h"
#include "backends/self_check/drawn_operations.h"
#include "backends/tested_sets.h"
#include "p2mpp/instruction_set.h"

namespace p2mpp {

/// Every test of the CPU's operations runs once for each tested instruction set.
class EveryInstructionSet : public ::testing::TestWithParam<InstructionSet> {};

inline const auto kTestedSets = ::testing::ValuesIn(tested_instruction_sets());

inline std::string set_name(const ::testing::TestParamInfo<InstructionSet>& info) {
  return std::string(to_string(info.param));
}

inline float as_float(float value) { return value; }
inline float as_float(Bfloat16 value) { return float_from(value); }

template <class Element>
Element element_from(float value) {
  if constexpr (std::is_same_v<Element, float>) {
    return value;
  } else {
    return bfloat16_from(value);
  }
}

/// A value, rounded to an operand.
template <class Element>
float rounded(float value) {
  return as_float(element_from<Element>(value));
}

/// The values as operands, in memory that kernels may load from.
template <class Element>
AlignedBuffer<Element> operands(const std::vector<float>& values) {
  AlignedBuffer<Element> buffer(values.size() + kChannelGroup);
  std::ranges::transform(values, buffer.data(), element_from<Element>);
  return buffer;
}

}  // namespace p2mpp
