#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backends/common/finding.h"
#include "backends/cuda/device_runtime.h"
#include "backends/self_check/passed_checks.h"
#include "model/sampling_rules.h"
#include "p2mpp/precision.h"

namespace p2mpp {

/// The network sizes to check the kernels with.
struct DeviceCheckSizes {
  std::size_t views = 3;
  std::size_t hypotheses = 43;
  std::size_t hidden = 192;            ///< channels of stage 1's graph convolutions
  std::size_t reasoning_hidden = 192;  ///< channels of the deformation reasoning blocks
  std::size_t reasoning_layers = 6;    ///< per block, including the one that outputs scores
  ProjectionRules reasoning_rules = {};

  /// "3 views, 43 hypotheses, ..."
  [[nodiscard]] std::string describe() const;
};

/// The name of an arithmetic, such as "bf16x3".
[[nodiscard]] std::string_view name_of(Arithmetic arithmetic);

/// Runs a random problem on each kernel that `fused` uses in a precision and compares it with the CPU kernels or plain
/// loops. The sizes give several tiles, the last one partly filled. Takes some tens of milliseconds of host time. A
/// failed launch is also a finding.
[[nodiscard]] std::vector<Finding> check_device(DeviceRuntime& runtime, Precision precision,
                                                const DeviceCheckSizes& sizes);

/// The same with more and larger problems, 2 to 64 views, and both deformation reasoning kernels if the device has
/// them.
[[nodiscard]] std::vector<Finding> check_device_thoroughly(DeviceRuntime& runtime, Precision precision);

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
