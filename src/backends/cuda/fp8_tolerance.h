#pragma once

#include <algorithm>
#include <cmath>

namespace p2mpp {

/// The bits behind the first that Hopper's tensor cores keep of a sum of e4m3 products, as others measured them
/// (DeepSeek-V3's report, 3.5.2; SageAttention2, 3.3: "FP22"). Operands of 16 bits have sums of fp32.
inline constexpr int kHopperFp8SumBits = 13;
inline constexpr int kFloatSumBits = 23;

/// How far the scores of a deformation reasoning block in fp8 may be from those of plain loops in double that round
/// operands as the kernel does, relative to the largest score, if its sums keep `sum_bits` bits.
///
/// A sum: the first layer has the most steps, 2 * 11 for 336 features. Each shifts 33 numbers, the sum before and 32
/// products, to the exponent of the largest and cuts them off there: every one is off by a unit of 2^-sum_bits at the
/// most, and by a third of its square in the mean. Their signs differ, so that squares add up: sqrt(22 * 33 / 3) = 16
/// units.
///
/// A state: a sum is rounded to three bits behind the first, so neighbours are up to s = 2^-3 of it apart. A sum that
/// is off by e is rounded to the neighbour with the probability e / s, and is then off by s: the mean square grows by e
/// s. Two roundings that have nothing to do with each other differ by no more than s^2 / 6.
///
/// A layer: errors and states are multiplied by the same weights, of either sign, so the error relative to the sums
/// stays that of the states, and one more rounding comes on top. The largest of some hundred scores is three times as
/// far off as their root mean square.
///
/// If sums are exact enough, such roundings are rare, and the largest error is that of a single one: one of `hidden`
/// states that is off by s, in a score that is three times as large as their root mean square.
[[nodiscard]] inline double fp8_tolerance(int sum_bits, int layers, int hidden) {
  const double spacing = std::ldexp(1.0, -3);
  const double sum_error = std::sqrt(22 * 33 / 3.0) * std::ldexp(1.0, -sum_bits);
  double error = 0;
  for (int layer = 0; layer < layers; ++layer) {
    const double rounding = std::min((error + sum_error) * spacing, spacing * spacing / 6);
    error = std::sqrt(error * error + rounding);
  }
  return std::max(3 * error, spacing / (3 * std::sqrt(hidden)));
}

}  // namespace p2mpp
