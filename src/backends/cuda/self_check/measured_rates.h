#pragma once

#include "backends/companion_interfaces.h"
#include "backends/cuda/self_check/device_check.h"
#include "p2mpp/precision.h"

namespace p2mpp {

struct RateSizes {
  std::size_t copied_bytes = std::size_t{256} << 20U;
  std::size_t rows = 16384, channels = 1024;  ///< of the product [rows, channels] times [channels, channels]
  int repeats = 10;
  DeviceCheckSizes checked = {};
};

/// Measures copies within device memory, and the matrix product that convolutions use, in stage 2's arithmetic of a
/// precision; takes the best repeat. Measures the time of check_device() once. Throws Error if the device fails.
[[nodiscard]] DeviceRates measure_rates(DeviceRuntime& runtime, Precision precision, const RateSizes& sizes = {});

}  // namespace p2mpp
