#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

namespace p2mpp {

/// Memory bandwidth of copying with this number of threads, in 1e9 bytes per second, counting reads and writes. This is
/// the best of a few rounds over arrays that are larger than the caches. Takes about half a second.
[[nodiscard]] double measure_copied_gb_per_s(int threads);

/// The processor's name: "AMD EPYC 9575F".
[[nodiscard]] std::string cpu_name();

/// The same from the contents of /proc/cpuinfo, which has numbers instead of names on Arm.
[[nodiscard]] std::string cpu_name_in(std::istream& cpuinfo);

/// Size of a memory, and the part of it that can be allocated, in bytes.
struct MemoryState {
  std::uint64_t total = 0;
  std::uint64_t available = 0;
};

/// The memory of this machine, or of this process's control group if that is smaller. Page cache counts as available.
[[nodiscard]] MemoryState host_memory();

/// Peak resident memory of this process so far, in bytes.
[[nodiscard]] std::uint64_t peak_resident_bytes();

}  // namespace p2mpp
