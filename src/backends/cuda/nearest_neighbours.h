#pragma once

#include <span>

#include "backends/cuda/device_runtime.h"
#include "p2mpp/metrics.h"

namespace p2mpp {

/// nearest_neighbours() on a device, to the same bits; of several equally near targets, the first. Expects finite,
/// non-empty targets, and fewer than 2^31 of either. Throws OutOfDeviceMemory.
[[nodiscard]] Neighbours nearest_neighbours_on(DeviceRuntime& runtime, std::span<const Eigen::Vector3f> queries,
                                               std::span<const Eigen::Vector3f> targets);

}  // namespace p2mpp
