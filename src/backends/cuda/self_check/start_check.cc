#include "backends/cuda/self_check/start_check.h"

#include <fmt/format.h>

#include "backends/cuda/resident_network.h"

namespace p2mpp {

std::string check_identity(const DeviceRuntime& runtime, const std::string& build, Precision precision,
                           const DeviceCheckSizes& sizes) {
  return fmt::format("{}\nbuild {}\nprecision {}\n{}\n", runtime.identity(), build,
                     name_of(arithmetics_of(precision).reasoning), sizes.describe());
}

void check_before_use(DeviceRuntime& runtime, const std::string& build, Precision precision,
                      const DeviceCheckSizes& sizes, const PassedChecks& passed) {
  const std::string identity = check_identity(runtime, build, precision, sizes);
  if (!build.empty() && passed.has(identity)) return;
  runtime.use();
  const std::vector<Finding> findings = check_device(runtime, precision, sizes);
  if (const Finding* failure = first_failure(findings)) {
    throw SelfCheckFailed(fmt::format("the self-check of the GPU's kernels failed: {}", describe_failure(*failure)));
  }
  if (!build.empty()) passed.remember(identity);
}

}  // namespace p2mpp
