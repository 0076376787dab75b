#include "base/machine/instruction_set.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bit>
#include <cstdint>
#include <cstring>
#endif

namespace p2mpp {
namespace {

#if defined(__x86_64__)

bool has_bit(std::uint32_t bits, int bit) { return ((bits >> static_cast<unsigned>(bit)) & 1U) != 0; }

// The instructions: AMX-BF16 and AMX-TILE of CPUID's leaf 7.
bool processor_has_amx() {
  constexpr int kBf16 = 22;
  constexpr int kTile = 24;
  std::uint32_t eax = 0;
  std::uint32_t ebx = 0;
  std::uint32_t ecx = 0;
  std::uint32_t edx = 0;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && has_bit(edx, kBf16) && has_bit(edx, kTile);
}

// Whether the operating system saves the tiles and their configuration. Precondition: the processor has XGETBV, as
// every processor with AMX has.
bool system_saves_tiles() {
  constexpr int kConfiguration = 17;
  constexpr int kTiles = 18;
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return has_bit(low, kConfiguration) && has_bit(low, kTiles);
}

// Linux enables the tiles on request. It refuses if a thread has a signal stack that is too small for them.
bool kernel_permits_tiles() {
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long kTiles = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTiles) == 0;
}

// Whether one product of tiles has the result that the manual promises. Its numbers are small whole ones, so that it is
// exact.
bool tiles_multiply() {
  constexpr int kRows = 16, kPairs = 16;
  struct Configuration {
    std::uint8_t palette = 1, first_row = 0, reserved[14] = {};
    std::uint16_t row_bytes[16] = {64, 64, 64};
    std::uint8_t rows[16] = {kRows, kRows, kRows};
  };
  alignas(64) const Configuration configuration;
  alignas(64) std::uint16_t rows[kRows][2 * kPairs], columns[kPairs][2 * kRows];
  alignas(64) float sums[kRows][kRows] = {};
  float expected[kRows][kRows] = {};
  const auto bf16 = [](int value) {
    return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(value)) >> 16U);
  };
  const auto left = [](int row, int k) { return (3 * row + 5 * k) % 11 - 5; };
  const auto right = [](int k, int column) { return (7 * k + 2 * column) % 13 - 6; };
  for (int row = 0; row < kRows; ++row) {
    for (int k = 0; k < 2 * kPairs; ++k) {
      rows[row][k] = bf16(left(row, k));
      columns[k / 2][2 * row + k % 2] = bf16(right(k, row));
      for (int column = 0; column < kRows; ++column) {
        expected[row][column] += static_cast<float>(left(row, k) * right(k, column));
      }
    }
  }
  const std::int64_t stride = 64;
  __asm__ volatile(
      "ldtilecfg %[configuration]\n\t"
      "tilezero %%tmm0\n\t"
      "tileloadd (%[rows],%[stride],1), %%tmm1\n\t"
      "tileloadd (%[columns],%[stride],1), %%tmm2\n\t"
      "tdpbf16ps %%tmm2, %%tmm1, %%tmm0\n\t"
      "tilestored %%tmm0, (%[sums],%[stride],1)\n\t"
      "tilerelease"
      :
      : [configuration] "m"(configuration), [rows] "r"(rows), [columns] "r"(columns), [sums] "r"(sums),
        [stride] "r"(stride)
      : "memory");
  return std::memcmp(sums, expected, sizeof sums) == 0;
}

std::string_view find_obstacle() {
  if (!processor_has_amx()) return "the processor has no AMX, or the system hides it";
  if (!system_saves_tiles()) return "the operating system does not save the tiles of AMX";
  if (!kernel_permits_tiles()) return "the kernel does not permit AMX";
  if (!tiles_multiply()) return "a product of AMX's tiles is wrong on this machine";
  return {};
}

#else

std::string_view find_obstacle() { return "the processor has no AMX"; }

#endif

}  // namespace

std::string_view amx_bf16_obstacle() {
  static const std::string_view obstacle = find_obstacle();
  return obstacle;
}

}  // namespace p2mpp
