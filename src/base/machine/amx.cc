#include "base/machine/amx.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
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

std::string_view find_obstacle() {
  if (!processor_has_amx()) return "the processor has no AMX, or the system hides it";
  if (!system_saves_tiles()) return "the operating system does not save the tiles of AMX";
  if (!kernel_permits_tiles()) return "the kernel does not permit AMX";
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
