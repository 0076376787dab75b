#pragma once

#include <string_view>

#include "p2mpp/device.h"

namespace p2mpp {

/// Resolves "auto", "cpu", "cuda" or "cuda:N". "auto" is the first CUDA device or, if none works, the CPU.
/// Throws UsageError for any other text, and Error if the named CUDA device is not available.
[[nodiscard]] DeviceChoice choose_device(std::string_view text);

}  // namespace p2mpp
