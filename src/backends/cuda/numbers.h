#pragma once

#include <cstdint>
#include <cstring>

#include "base/bfloat16.h"

namespace p2mpp {

// Host-side conversions to and from the operand types of tensor cores. The device has instructions for them.

/// IEEE half precision.
enum class Float16 : std::uint16_t {};

[[nodiscard]] inline std::uint32_t float_bits(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

[[nodiscard]] inline float float_of(std::uint32_t bits) {
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// Rounds to 10 bits of mantissa, to nearest, ties away from zero (cvt.rna.tf32.f32).
[[nodiscard]] inline float round_to_tf32(float value) {
  if (value != value) return value;
  return float_of((float_bits(value) + 0x1000U) & 0xffffe000U);
}

/// Rounds to nearest, ties to even; infinity above 65504.
[[nodiscard]] inline Float16 float16_from(float value) {
  const std::uint32_t bits = float_bits(value);
  const std::uint32_t sign = (bits >> 16U) & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  std::uint32_t half = 0;
  if (magnitude > 0x7f800000U) {
    half = 0x7e00U;
  } else if (magnitude >= 0x477ff000U) {  // 65520 and more
    half = 0x7c00U;
  } else if (magnitude >= 0x38800000U) {  // normal
    half = (magnitude - 0x38000000U + 0xfffU + ((magnitude >> 13U) & 1U)) >> 13U;
  } else {
    // Adding 0.5 leaves the mantissa's lowest bit worth 2^-24, as a subnormal half's is.
    half = float_bits(float_of(magnitude) + 0.5F) - 0x3f000000U;
  }
  return static_cast<Float16>(sign | half);
}

[[nodiscard]] inline float float_from(Float16 value) {
  const auto bits = static_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits & 0x8000U) << 16U;
  const std::uint32_t exponent = (bits >> 10U) & 0x1fU;
  const std::uint32_t mantissa = bits & 0x3ffU;
  if (exponent == 0x1fU) return float_of(sign | 0x7f800000U | (mantissa << 13U));
  if (exponent == 0) return float_of(sign | float_bits(static_cast<float>(mantissa) * 0x1p-24F));
  return float_of(sign | ((exponent + 112U) << 23U) | (mantissa << 13U));
}

/// e4m3: four exponent bits, three mantissa bits, no infinity.
enum class Float8 : std::uint8_t {};
inline constexpr float kLargestFloat8 = 448;

/// Rounds to nearest, ties to even; saturates at 448 (cvt.rn.satfinite.e4m3x2.f32).
[[nodiscard]] inline Float8 float8_from(float value) {
  const std::uint32_t bits = float_bits(value);
  const std::uint32_t sign = (bits >> 24U) & 0x80U;
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  std::uint32_t small = 0x7fU;
  if (magnitude > 0x7f800000U) return static_cast<Float8>(sign | small);
  if (magnitude >= float_bits(kLargestFloat8)) {
    small = 0x7eU;
  } else if (magnitude >= 0x3c800000U) {  // 2^-6: normal
    small = (magnitude - 0x3c000000U + 0x7ffffU + ((magnitude >> 20U) & 1U)) >> 20U;
  } else {
    // Adding 2^14 leaves the mantissa's lowest bit worth 2^-9, as a subnormal number's is.
    small = float_bits(float_of(magnitude) + 0x1p14F) - float_bits(0x1p14F);
  }
  return static_cast<Float8>(sign | small);
}

[[nodiscard]] inline float float_from(Float8 value) {
  const auto bits = static_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits & 0x80U) << 24U;
  const std::uint32_t exponent = (bits >> 3U) & 0xfU;
  const std::uint32_t mantissa = bits & 7U;
  if (exponent == 0xfU && mantissa == 7) return float_of(sign | 0x7fc00000U);
  if (exponent == 0) return float_of(sign | float_bits(static_cast<float>(mantissa) * 0x1p-9F));
  return float_of(sign | ((exponent + 120U) << 23U) | (mantissa << 20U));
}

}  // namespace p2mpp
