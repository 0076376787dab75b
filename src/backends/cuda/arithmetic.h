#pragma once

#include <cstddef>

#include "backends/common/host_device.h"

namespace p2mpp {

/// How the tensor cores multiply. Sums are fp32 in all of them.
enum class Arithmetic {
  kFp32,    ///< fp32 operands, each split into two tf32 numbers; three products of them give one of fp32
  kBf16x3,  ///< the same with two bf16 numbers: operands keep 16 bits of mantissa
  kTf32,    ///< fp32 operands rounded to 10 bits of mantissa
  kBf16,
  kFp16,
  kFp8,  ///< e4m3 operands with scales; deformation reasoning on Hopper alone
};
inline constexpr std::size_t kArithmeticCount = 6;

/// Channels that one step of a product goes through: the depth of a matrix instruction.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int depth_of(Arithmetic arithmetic) {
  return arithmetic == Arithmetic::kFp32 || arithmetic == Arithmetic::kTf32 ? 8 : 16;
}

/// Numbers that one operand is split into.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int parts_of(Arithmetic arithmetic) {
  return arithmetic == Arithmetic::kFp32 || arithmetic == Arithmetic::kBf16x3 ? 2 : 1;
}

/// Bytes of an operand in memory.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr std::size_t element_bytes(Arithmetic arithmetic) {
  if (arithmetic == Arithmetic::kFp8) return 1;
  return arithmetic == Arithmetic::kBf16 || arithmetic == Arithmetic::kFp16 ? 2 : 4;
}

}  // namespace p2mpp
