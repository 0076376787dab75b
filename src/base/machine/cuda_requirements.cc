#include "base/machine/cuda_requirements.h"

#include <fmt/format.h>

#include "p2mpp/error.h"

namespace p2mpp {

void check_driver(int driver_version, int toolkit_version, std::string_view whose) {
  constexpr int kMajor = 1000;
  const int oldest = toolkit_version / kMajor * kMajor;
  if (driver_version >= oldest) return;
  throw Error(fmt::format("the NVIDIA driver supports CUDA {}; expected {} or newer for {}",
                          cuda_version_text(driver_version), cuda_version_text(oldest), whose));
}

void check_gpu(const CudaDevice& gpu, int oldest_capability, std::string_view whose) {
  if (gpu.compute_capability >= oldest_capability) return;
  throw Error(fmt::format("{} has compute capability {}; expected {} or newer for {}", gpu.name,
                          capability_text(gpu.compute_capability), capability_text(oldest_capability), whose));
}

DeviceChoice without_cuda(std::string_view asked_for, std::string_view problem) {
  if (asked_for != "auto") {
    throw Error(fmt::format("device {}: {}; device cpu computes on the CPU", asked_for, problem));
  }
  return {.device = {}, .note = fmt::format("no CUDA device: {}; computing on the CPU", problem)};
}

std::string cuda_version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

std::string capability_text(int compute_capability) {
  return fmt::format("{}.{}", compute_capability / 10, compute_capability % 10);
}

}  // namespace p2mpp
