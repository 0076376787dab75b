#pragma once

namespace p2mpp {

/// How fast a device was found to be; NaN where that could not be measured.
struct DeviceRates {
  double copied_gb_per_s = 0;      ///< 1e9 bytes a second, read and written both counted
  double product_gflop_per_s = 0;  ///< of a large matrix product, 1e9 operations a second, two a multiply-add
};

}  // namespace p2mpp
