#pragma once

#include <string_view>

#include "p2mpp/export.h"

namespace p2mpp {

/// The arithmetic of matrix products. Coordinates and the softmax are fp32 in every precision.
enum class Precision {
  kFp32,
  kTf32,    ///< fp32 values whose products keep 10 bits of mantissa; CUDA only
  kBf16x3,  ///< operands of 16 significant bits, each the sum of two bf16 numbers: three products; CPU only
  kBf16,    ///< operands rounded to 8 significant bits, products summed in fp32
  kFp16,    ///< operands rounded to 11 significant bits, at most 65504; CUDA only
  kFp8,     ///< bf16, with scaled operands of 4 significant bits in the deformation reasoning blocks; Hopper GPUs only
};

/// "fp32", "tf32", "bf16x3", "bf16", "fp16", "fp8"
[[nodiscard]] P2MPP_EXPORT std::string_view to_string(Precision precision);

}  // namespace p2mpp
