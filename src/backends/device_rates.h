#pragma once

namespace p2mpp {

/// Measured speed of a device; NaN where the measurement failed.
struct DeviceRates {
  double copied_gb_per_s = 0;      ///< 1e9 bytes per second; reads and writes both count
  double product_gflop_per_s = 0;  ///< large matrix product, 1e9 operations per second; a multiply-add counts as two
  double start_check_ms = 0;       ///< time of the self-check at an engine's start, of a model with the published sizes
};

}  // namespace p2mpp
