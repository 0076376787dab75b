#pragma once

#include "backends/cuda/self_check/device_check.h"
#include "backends/self_check/passed_checks.h"

namespace p2mpp {

/// Identifies everything that the result of a device's check depends on, one item per line. build: identity of the
/// kernels' build.
[[nodiscard]] std::string check_identity(const DeviceRuntime& runtime, const std::string& build, Precision precision,
                                         const DeviceCheckSizes& sizes);

/// Runs check_device(), unless it has passed before for the same device, driver, build, precision and sizes. If `build`
/// is empty, nothing is remembered. Throws SelfCheckFailed naming the first failure in one line. If the environment
/// variable P2MPP_SELF_CHECK is "warn", prints that line to stderr instead, so that all parts of a GPU can be tested
/// even if one fails.
void check_before_use(DeviceRuntime& runtime, const std::string& build, Precision precision,
                      const DeviceCheckSizes& sizes, const PassedChecks& passed);

}  // namespace p2mpp
