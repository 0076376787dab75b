#pragma once

#include <chrono>

namespace p2mpp {

/// For waits and durations: it never goes back.
using Clock = std::chrono::steady_clock;

}  // namespace p2mpp
