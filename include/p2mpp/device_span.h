#pragma once

#include <chrono>

#include "p2mpp/reconstruction.h"

namespace p2mpp {

/// What a device did for a batch, as it noted it down itself; the moments are on the host's clock.
struct DeviceSpan {
  Part part = Part::kPreprocess;
  std::chrono::steady_clock::time_point begin, end;
  int kernels = 0;  ///< that were launched; none for copies
};

}  // namespace p2mpp
