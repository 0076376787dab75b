#pragma once

#include <cstdint>
#include <cstring>

#include "ops/cpu/bfloat16.h"

namespace p2mpp {

// Host-side conversions to and from the operands of tensor cores; the device has instructions for them.

/// IEEE half precision.
enum class Float16 : std::uint16_t {};

[[nodiscard]] inline std::uint32_t bits_of(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

[[nodiscard]] inline float float_of(std::uint32_t bits) {
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// Keeps 10 bits of mantissa, rounded to nearest, ties away from zero (cvt.rna.tf32.f32).
[[nodiscard]] inline float round_to_tf32(float value) {
  if (value != value) return value;
  return float_of((bits_of(value) + 0x1000U) & 0xffffe000U);
}

/// Rounded to nearest, ties to even; beyond 65504 infinity.
[[nodiscard]] inline Float16 float16_from(float value) {
  const std::uint32_t bits = bits_of(value);
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
    half = bits_of(float_of(magnitude) + 0.5F) - 0x3f000000U;
  }
  return static_cast<Float16>(sign | half);
}

[[nodiscard]] inline float float_from(Float16 value) {
  const auto bits = static_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits & 0x8000U) << 16U;
  const std::uint32_t exponent = (bits >> 10U) & 0x1fU;
  const std::uint32_t mantissa = bits & 0x3ffU;
  if (exponent == 0x1fU) return float_of(sign | 0x7f800000U | (mantissa << 13U));
  if (exponent == 0) return float_of(sign | bits_of(static_cast<float>(mantissa) * 0x1p-24F));
  return float_of(sign | ((exponent + 112U) << 23U) | (mantissa << 13U));
}

}  // namespace p2mpp
