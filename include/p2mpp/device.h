#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "p2mpp/export.h"

namespace p2mpp {

enum class DeviceKind { kCpu, kCuda };

/// A device to compute on.
struct Device {
  DeviceKind kind = DeviceKind::kCpu;
  int index = 0;  ///< of the CUDA device; 0 for the CPU

  friend bool operator==(const Device&, const Device&) = default;
};

/// "cpu", "cuda:0"
[[nodiscard]] P2MPP_EXPORT std::string to_string(Device device);

struct CudaDevice {
  std::string name;
  std::uint64_t memory_bytes = 0;
  int compute_capability = 0;  ///< 90 for 9.0
};

/// The NVIDIA driver of this machine and its CUDA devices. Each backend checks whether driver and device are new
/// enough.
struct CudaDriver {
  int version = 0;                  ///< 13000 for CUDA 13.0
  std::vector<CudaDevice> devices;  ///< at least one
};
/// Queries the driver once. Throws Error (one clause) if there is no device: "no NVIDIA driver (libcuda.so.1 is not
/// there)".
[[nodiscard]] P2MPP_EXPORT const CudaDriver& cuda_driver();

/// A resolved --device. `note` explains a choice that the user may not expect.
struct DeviceChoice {
  Device device;
  std::string note;  ///< one line for the user ("no CUDA device: ...; computing on the CPU"), or empty
};

/// The number of physical cores that this process may run on.
[[nodiscard]] P2MPP_EXPORT int physical_core_count();

}  // namespace p2mpp
