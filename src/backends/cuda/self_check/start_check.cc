#include "backends/cuda/self_check/start_check.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "backends/cuda/resident_network.h"

namespace p2mpp {
namespace {

bool only_warns() {
  const char* value = std::getenv("P2MPP_SELF_CHECK");  // NOLINT(concurrency-mt-unsafe): nothing here sets variables
  return value != nullptr && std::string_view(value) == "warn";
}

}  // namespace

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
    const std::string line = fmt::format("the self-check of the GPU's kernels failed: {}", describe_failure(*failure));
    if (!only_warns()) throw SelfCheckFailed(line);
    fmt::print(stderr, "p2mpp: warning: {}\n", line);
    return;
  }
  if (!build.empty()) passed.remember(identity);
}

}  // namespace p2mpp
