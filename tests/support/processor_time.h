#pragma once

#include <ctime>

namespace p2mpp {

/// The processor's time of all threads, in seconds: that of the clock depends on what else the machine does.
inline double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace p2mpp
