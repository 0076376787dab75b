#pragma once

#include <algorithm>
#include <cmath>

namespace p2mpp {

/// Fraction bits that Hopper's tensor cores keep in a sum of e4m3 products, as measured by others (DeepSeek-V3's
/// report, 3.5.2; SageAttention2, 3.3: "FP22"). Products of 16-bit operands are summed in fp32.
inline constexpr int kHopperFp8SumBits = 13;
inline constexpr int kFloatSumBits = 23;

/// Tolerance for the scores of an fp8 deformation reasoning block, relative to the largest score, if its sums keep
/// `sum_bits` bits. The reference is plain loops in double precision that round operands as the kernel does.
///
/// Sums: the first layer has the most steps, 2 * 11 for 336 features. Each step aligns 33 numbers (the previous sum and
/// 32 products) to the largest exponent and truncates them. Each truncation error is at most one unit of 2^-sum_bits,
/// with a mean square of a third of that unit squared. The errors have either sign, so their squares add up: sqrt(22 *
/// 33 / 3) = 16 units.
///
/// Activations: a sum is rounded to three fraction bits, so adjacent values differ by at most s = 2^-3 relative to the
/// sum. An error e in the sum changes the rounding with probability e / s, and then causes an error of s: the mean
/// square grows by e s. Two independent roundings differ by a mean square of at most s^2 / 6.
///
/// Layers: errors and activations are multiplied by the same weights, of either sign, so the relative error of the sums
/// equals that of the activations, and each layer adds one rounding. The largest of some hundred errors is three times
/// their root mean square.
///
/// If the sums are exact enough, changed roundings are rare, and the largest error is that of a single one: one of
/// `hidden` activations is off by s, in a score that is three times the root mean square of the scores.
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
