#include "p2mpp/device.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <string>

#include "base/machine/device_choice.h"
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
  throw UsageError(fmt::format("device {}: no such device; expected auto, cpu, cuda or cuda:N", text));
}

// The driver API, by its documented C signatures. It is available with every driver, needs no toolkit, and answers
// before LibTorch's CUDA libraries (hundreds of megabytes) would be loaded in vain.
using Status = int;
constexpr Status kSuccess = 0;
constexpr int kComputeCapabilityMajor = 75;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
constexpr int kComputeCapabilityMinor = 76;

template <typename Function>
Function* symbol(void* library, const char* name) {
  return reinterpret_cast<Function*>(dlsym(library, name));
}

struct DriverApi {
  explicit DriverApi(void* library)
      : init(symbol<Status(unsigned)>(library, "cuInit")),
        driver_version(symbol<Status(int*)>(library, "cuDriverGetVersion")),
        device_count(symbol<Status(int*)>(library, "cuDeviceGetCount")),
        device_name(symbol<Status(char*, int, int)>(library, "cuDeviceGetName")),
        total_memory(symbol<Status(std::size_t*, int)>(library, "cuDeviceTotalMem_v2")),
        attribute(symbol<Status(int*, int, int)>(library, "cuDeviceGetAttribute")) {}

  [[nodiscard]] bool complete() const {
    return init && driver_version && device_count && device_name && total_memory && attribute;
  }

  Status (*init)(unsigned);
  Status (*driver_version)(int*);
  Status (*device_count)(int*);
  Status (*device_name)(char*, int, int);
  Status (*total_memory)(std::size_t*, int);
  Status (*attribute)(int*, int, int);
};

CudaDevice query_device(const DriverApi& api, int index) {
  CudaDevice device;
  std::array<char, 256> name{};
  if (api.device_name(name.data(), static_cast<int>(name.size()) - 1, index) == kSuccess) device.name = name.data();
  std::size_t bytes = 0;
  if (api.total_memory(&bytes, index) == kSuccess) device.memory_bytes = bytes;
  int major = 0;
  int minor = 0;
  api.attribute(&major, kComputeCapabilityMajor, index);
  api.attribute(&minor, kComputeCapabilityMinor, index);
  device.compute_capability = 10 * major + minor;
  return device;
}

CudaDriver ask_driver() {
  CudaDriver driver;
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);  // never closed: the driver keeps threads
  if (library == nullptr) throw Error("no NVIDIA driver (libcuda.so.1 is not there)");
  const DriverApi api(library);
  if (!api.complete()) throw Error("libcuda.so.1 is not a usable NVIDIA driver");
  api.driver_version(&driver.version);
  if (const Status status = api.init(0); status != kSuccess) {
    throw Error(fmt::format("the NVIDIA driver does not start (cuInit gives error {})", status));
  }
  int count = 0;
  if (api.device_count(&count) != kSuccess || count == 0) {
    throw Error("the NVIDIA driver reports no device (see CUDA_VISIBLE_DEVICES)");
  }
  for (int index = 0; index < count; ++index) driver.devices.push_back(query_device(api, index));
  return driver;
}

}  // namespace

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

std::string to_string(Device device) {
  return device.kind == DeviceKind::kCpu ? "cpu" : fmt::format("cuda:{}", device.index);
}

DeviceChoice choose_device(std::string_view text) {
  if (text == "cpu") return {};
  const int index = text == "auto" ? 0 : parse_cuda_index(text);
  int count = 0;
  try {
    count = static_cast<int>(cuda_driver().devices.size());
  } catch (const Error& error) {
    return without_cuda(text, error.what());
  }
  if (index >= count) {
    throw Error(fmt::format("device {}: this machine has {} CUDA device(s), the first is cuda:0", text, count));
  }
  return {.device = {DeviceKind::kCuda, index}, .note = {}};
}

const CudaDriver& cuda_driver() {
  static const CudaDriver driver = ask_driver();
  return driver;
}

}  // namespace p2mpp
