#pragma once

#include <cstdint>
#include <cstring>

namespace p2mpp {

/// The upper half of a float: 8 bits of exponent, 7 of mantissa.
enum class Bfloat16 : std::uint16_t {};

/// Rounded to nearest, ties to even; NaN stays NaN.
inline Bfloat16 bfloat16_from(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  if (value != value) return static_cast<Bfloat16>((bits >> 16U) | 0x40U);
  return static_cast<Bfloat16>((bits + 0x7fffU + ((bits >> 16U) & 1U)) >> 16U);
}

inline float float_from(Bfloat16 value) {
  const std::uint32_t bits = static_cast<std::uint32_t>(value) << 16U;
  float result = 0;
  std::memcpy(&result, &bits, sizeof result);
  return result;
}

/// Converts a value to an operand of products.
inline void convert(float value, float& operand) { operand = value; }
inline void convert(float value, Bfloat16& operand) { operand = bfloat16_from(value); }

}  // namespace p2mpp
