#pragma once

#include "backends/cuda/self_check/device_check.h"
#include "backends/self_check/passed_checks.h"

namespace p2mpp {

/// What the outcome of a check of a device depends on, a line each. build: of the kernels.
[[nodiscard]] std::string check_identity(const DeviceRuntime& runtime, const std::string& build, Precision precision,
                                         const DeviceCheckSizes& sizes);

/// check_device(), unless it has passed before for this device, driver, build, precision and sizes. Without a build's
/// identity nothing is remembered. Throws SelfCheckFailed with the first difference in one line.
void check_before_use(DeviceRuntime& runtime, const std::string& build, Precision precision,
                      const DeviceCheckSizes& sizes, const PassedChecks& passed);

}  // namespace p2mpp
