#include "p2mpp/device.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <string>

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
  throw UsageError(fmt::format("device {}: no such device; expected auto, cpu, cuda or cuda:N", text));
}

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// Cores that share an entry of this file are threads of one physical core.
std::string core_of(int cpu) {
  const std::string siblings =
      first_line(fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", cpu));
  return siblings.empty() ? std::to_string(cpu) : siblings;
}

// The limit of this process's control group. The file contains "max 100000" or "150000 100000": microseconds of
// processor time in each period, and the period.
int control_group_limit() {
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  double quota = 0;
  double period = 0;
  if (!(file >> quota >> period) || period <= 0) return CPU_SETSIZE;
  return std::max(1, static_cast<int>(quota / period));
}

// The number after `name` in a file of lines "NAME NUMBER"; 0 if it is missing.
std::uint64_t number_after(const std::string& path, std::string_view name) {
  std::ifstream file(path);
  std::string word;
  std::uint64_t number = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    if (words >> word >> number && word == name) return number;
  }
  return 0;
}

// The memory of this process's control group, if that is limited; the limit "max" does not parse as a number.
std::optional<MemoryState> control_group_memory() {
  const std::string folder = "/sys/fs/cgroup/";
  std::uint64_t limit = 0;
  std::uint64_t used = 0;
  if (!(std::ifstream(folder + "memory.max") >> limit) || !(std::ifstream(folder + "memory.current") >> used)) {
    return std::nullopt;
  }
  used -= std::min(used, number_after(folder + "memory.stat", "inactive_file"));
  return MemoryState{.total = limit, .available = limit - std::min(limit, used)};
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

CudaDevice describe(const DriverApi& api, int index) {
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
  if (library == nullptr) {
    driver.problem = "no NVIDIA driver (libcuda.so.1 is not there)";
    return driver;
  }
  const DriverApi api(library);
  if (!api.complete()) {
    driver.problem = "libcuda.so.1 is not a usable NVIDIA driver";
    return driver;
  }
  api.driver_version(&driver.version);
  if (const Status status = api.init(0); status != kSuccess) {
    driver.problem = fmt::format("the NVIDIA driver does not start (cuInit gives error {})", status);
    return driver;
  }
  int count = 0;
  if (api.device_count(&count) != kSuccess || count == 0) {
    driver.problem = "the NVIDIA driver knows of no device (see CUDA_VISIBLE_DEVICES)";
    return driver;
  }
  for (int index = 0; index < count; ++index) driver.devices.push_back(describe(api, index));
  return driver;
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
    throw Error(
        fmt::format("device {}: this machine has {} CUDA device(s), the first is cuda:0", text, driver.devices.size()));
  }
  return {.device = {DeviceKind::kCuda, index}, .note = {}};
}

std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

int physical_core_count() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 1;
  std::set<std::string> cores;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &allowed)) cores.insert(core_of(cpu));
  }
  return std::clamp(static_cast<int>(cores.size()), 1, control_group_limit());
}

MemoryState host_memory() {
  constexpr std::uint64_t kKibibyte = 1024;
  MemoryState memory{.total = kKibibyte * number_after("/proc/meminfo", "MemTotal:"),
                     .available = kKibibyte * number_after("/proc/meminfo", "MemAvailable:")};
  if (const auto group = control_group_memory()) {
    memory.total = std::min(memory.total, group->total);
    memory.available = std::min(memory.available, group->available);
  }
  return memory;
}

std::uint64_t peak_resident_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

const CudaDriver& cuda_driver() {
  static const CudaDriver driver = ask_driver();
  return driver;
}

}  // namespace p2mpp
