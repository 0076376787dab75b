#pragma once

#include <chrono>

#include "p2mpp/reconstruction.h"

namespace p2mpp {

/// A period in which a device worked on a part of a batch, from the device's own events, on the host's clock.
struct DeviceSpan {
  Part part = Part::kPreprocess;
  std::chrono::steady_clock::time_point begin, end;
  int kernels = 0;  ///< number of kernels launched; 0 for copies
};

}  // namespace p2mpp
