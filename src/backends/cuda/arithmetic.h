#pragma once

#include <cstddef>

#include "backends/common/host_device.h"

namespace p2mpp {

/// The arithmetic of the tensor cores. Sums are always fp32.
enum class Arithmetic {
  kFp32,    ///< fp32 operands, each split into two tf32 numbers; three of their products approximate the fp32 product
  kBf16x3,  ///< the same with two bf16 numbers, which keep 16 bits of mantissa
  kTf32,    ///< fp32 operands rounded to 10 bits of mantissa
  kBf16,
  kFp16,
  kFp8,  ///< e4m3 operands with scales; only for deformation reasoning on Hopper
};
inline constexpr std::size_t kArithmeticCount = 6;

/// Channels that one step of a product consumes: the depth of the matrix instruction.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int depth_of(Arithmetic arithmetic) {
  return arithmetic == Arithmetic::kFp32 || arithmetic == Arithmetic::kTf32 ? 8 : 16;
}

/// Number of parts that an operand is split into.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr int parts_of(Arithmetic arithmetic) {
  return arithmetic == Arithmetic::kFp32 || arithmetic == Arithmetic::kBf16x3 ? 2 : 1;
}

/// Bytes of an operand in memory.
[[nodiscard]] P2MPP_HOST_DEVICE constexpr std::size_t element_bytes(Arithmetic arithmetic) {
  if (arithmetic == Arithmetic::kFp8) return 1;
  return arithmetic == Arithmetic::kBf16 || arithmetic == Arithmetic::kFp16 ? 2 : 4;
}

}  // namespace p2mpp
