#include <cmath>
#include <cstdint>
#include <cstring>

#include "emulation/block.h"
#include "emulation/fault.h"

namespace p2mpp::emulation {
namespace {

constexpr int kRows = 16;
constexpr int kColumns = 8;

// Towards zero. Rounded to nearest first, then one step back where that went too far.
float cut_off(double value) {
  const auto nearest = static_cast<float>(value);
  std::uint32_t bits = 0;
  std::memcpy(&bits, &nearest, sizeof bits);
  bits -= std::fabs(static_cast<double>(nearest)) > std::fabs(value) ? 1U : 0U;
  float result = 0;
  std::memcpy(&result, &bits, sizeof result);
  return result;
}

}  // namespace

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
__attribute__((target_clones("avx512f", "avx2", "default")))
#endif
void multiply_add(int depth, const float* a, const float* b, float* d) {
  const int end = has_fault(Fault::kLastDepthLost) ? depth - 1 : depth;
  for (int row = 0; row < kRows; ++row) {
    double sums[kColumns];
    for (int column = 0; column < kColumns; ++column) sums[column] = static_cast<double>(d[row * kColumns + column]);
    for (int k = 0; k < end; ++k) {
      const auto left = static_cast<double>(a[row * depth + k]);
      for (int column = 0; column < kColumns; ++column) {
        sums[column] += left * static_cast<double>(b[k * kColumns + column]);
      }
    }
    for (int column = 0; column < kColumns; ++column) d[row * kColumns + column] = cut_off(sums[column]);
  }
}

}  // namespace p2mpp::emulation
