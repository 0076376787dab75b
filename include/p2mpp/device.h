#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace p2mpp {

enum class DeviceKind { kCpu, kCuda };

/// A device that computes.
struct Device {
  DeviceKind kind = DeviceKind::kCpu;
  int index = 0;  ///< of the CUDA device; 0 for the CPU

  friend bool operator==(const Device&, const Device&) = default;
};

/// "cpu", "cuda:0"
[[nodiscard]] std::string to_string(Device device);

struct CudaDevice {
  std::string name;
  std::uint64_t memory_bytes = 0;
  int compute_capability = 0;  ///< 90 for 9.0
};

/// What the NVIDIA driver of this machine says of itself, asked once. `problem` is one clause when no device can be
/// used
/// ("no NVIDIA driver (libcuda.so.1 is not there)"), and empty otherwise.
struct CudaDriver {
  int version = 0;  ///< 13000 for CUDA 13.0
  std::vector<CudaDevice> devices;
  std::string problem;
};
[[nodiscard]] const CudaDriver& cuda_driver();

/// A device as somebody asked for it, and why it is another one than they may have hoped for.
struct DeviceChoice {
  Device device;
  std::string note;  ///< one line for the user ("no CUDA device: ...; computing on the CPU"), or empty
};

/// Resolves "auto", "cpu", "cuda" or "cuda:N". "auto" takes the first CUDA device or, where none works, the CPU.
/// Throws UsageError for any other text and Error where the CUDA device asked for is not to be had.
[[nodiscard]] DeviceChoice choose_device(std::string_view text);

/// The processor as its maker names it ("AMD EPYC 9575F"), and the physical cores that this process may run on.
[[nodiscard]] std::string cpu_name();
[[nodiscard]] int physical_core_count();

/// Bytes of a memory, and how many of them are there for the taking.
struct MemoryState {
  std::uint64_t total = 0;
  std::uint64_t available = 0;
};

/// The memory of this machine, or of this process's control group where that has less. What the system keeps of files
/// and would drop counts as available.
[[nodiscard]] MemoryState host_memory();

/// Peak resident memory of this process so far, in bytes.
[[nodiscard]] std::uint64_t peak_resident_bytes();

}  // namespace p2mpp
