#pragma once

#include <cstdint>
#include <string>

namespace p2mpp {

/// The processor's name: "AMD EPYC 9575F".
[[nodiscard]] std::string cpu_name();

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
