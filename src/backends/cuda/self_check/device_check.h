#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backends/common/finding.h"
#include "backends/cuda/device_runtime.h"
#include "p2mpp/precision.h"

namespace p2mpp {

/// What the kernels are checked with: sizes of the network that they are about to compute.
struct DeviceCheckSizes {
  std::size_t views = 3;
  std::size_t hypotheses = 43;
  std::size_t hidden = 192;            ///< channels of stage 1's graph convolutions
  std::size_t reasoning_hidden = 192;  ///< of the deformation reasoning blocks
  std::size_t reasoning_layers = 6;    ///< of each, with the one that gives scores

  /// "3 views, 43 hypotheses, ..."
  [[nodiscard]] std::string describe() const;
};

/// "bf16x3"
[[nodiscard]] std::string_view name_of(Arithmetic arithmetic);

/// Computes a drawn problem of each kernel that `fused` uses in a precision, with more than one tile and a last one
/// that is not full, and compares with plain loops on the host. Takes some tens of milliseconds of the host. What fails
/// to launch is a finding, too.
[[nodiscard]] std::vector<Finding> check_device(DeviceRuntime& runtime, Precision precision,
                                                const DeviceCheckSizes& sizes);

/// The same with more and larger problems, for two to five views, and with both kernels for deformation reasoning where
/// the device has them.
[[nodiscard]] std::vector<Finding> check_device_thoroughly(DeviceRuntime& runtime, Precision precision);

}  // namespace p2mpp
