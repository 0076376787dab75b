#include "p2mpp/device.h"

#include <fmt/format.h>

#include <charconv>

#include "base/cuda_requirements.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

int parse_cuda_index(std::string_view text) {
  if (text == "cuda") return 0;
  constexpr std::string_view kPrefix = "cuda:";
  int index = -1;
  if (text.starts_with(kPrefix)) {
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data() + kPrefix.size(), end, index);
    if (error == std::errc() && rest == end && index >= 0) return index;
  }
  throw UsageError(fmt::format("--device {}: no such device; expected auto, cpu, cuda or cuda:N", text));
}

}  // namespace

std::string to_string(Device device) {
  return device.kind == DeviceKind::kCpu ? "cpu" : fmt::format("cuda:{}", device.index);
}

DeviceChoice choose_device(std::string_view text) {
  if (text == "cpu") return {};
  const CudaDriver& driver = cuda_driver();
  const int index = text == "auto" ? 0 : parse_cuda_index(text);
  if (!driver.problem.empty()) return without_cuda(text, driver.problem);
  if (index >= static_cast<int>(driver.devices.size())) {
    throw Error(fmt::format("--device {}: this machine has {} CUDA device(s), the first is cuda:0", text,
                            driver.devices.size()));
  }
  return {.device = {DeviceKind::kCuda, index}, .note = {}};
}

}  // namespace p2mpp
