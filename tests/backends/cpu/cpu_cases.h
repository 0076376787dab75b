#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "backends/cpu/aligned_buffer.h"
#include "backends/cpu/kernels.h"
#include "p2mpp/instruction_set.h"

namespace p2mpp {

/// Every test of the CPU's operations runs once for each instruction set that this machine has.
class EveryInstructionSet : public testing::TestWithParam<InstructionSet> {};

inline const auto kUsableSets = testing::ValuesIn(usable_instruction_sets().begin(), usable_instruction_sets().end());

inline std::string set_name(const testing::TestParamInfo<InstructionSet>& info) {
  return std::string(to_string(info.param));
}

/// Fixed by its seed, the same everywhere.
class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed) {}

  double uniform(double low, double high) { return low + (high - low) * static_cast<double>(random_()) / 4294967295.0; }
  std::size_t whole(std::size_t low, std::size_t high) { return low + random_() % (high - low + 1); }
  std::vector<float> values(std::size_t count, double low = -1, double high = 1) {
    std::vector<float> result(count);
    std::ranges::generate(result, [&] { return static_cast<float>(uniform(low, high)); });
    return result;
  }

 private:
  std::mt19937 random_;
};

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

/// What a value becomes as an operand.
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

/// Largest difference, relative to the largest value that is expected.
inline double relative_difference(const std::vector<float>& found, const std::vector<double>& expected) {
  EXPECT_EQ(found.size(), expected.size());
  double largest = 1e-30;
  double difference = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    largest = std::max(largest, std::abs(expected[i]));
    const double here = std::abs(static_cast<double>(found[i]) - expected[i]);
    difference = std::max(difference, std::isnan(here) ? INFINITY : here);
  }
  return difference / largest;
}

}  // namespace p2mpp
