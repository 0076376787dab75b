#include "eval/environment.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/utsname.h>

#include "base/cuda_requirements.h"
#include "p2mpp/device.h"
#include "p2mpp/engine.h"
#include "p2mpp/instruction_set.h"

namespace p2mpp {
namespace {

#if defined(__clang__)
constexpr std::string_view kCompiler = "Clang " __clang_version__;
#else
constexpr std::string_view kCompiler = "GCC " __VERSION__;
#endif

int allowed_thread_count() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
}

std::string describe(const CudaDevice& device) {
  constexpr double kGibibyte = 1u << 30;
  return fmt::format("{} (compute capability {}, {:.0f} GiB)", device.name, capability_text(device.compute_capability),
                     static_cast<double>(device.memory_bytes) / kGibibyte);
}

std::string describe(const CudaDriver& driver) {
  if (!driver.problem.empty()) return driver.problem;
  return "CUDA " + cuda_version_text(driver.version);
}

std::string describe_libtorch(const std::string& version) {
  if (version != "none") return version;
  return "none (the backend torchscript, and bench's baseline and GEMM rate, need it: scripts/setup.sh --all)";
}

std::string operating_system() {
  utsname names{};
  if (uname(&names) != 0) return "unknown";
  return fmt::format("{} {} {}", names.sysname, names.release, names.machine);
}

}  // namespace

Environment describe_environment() {
  Environment environment;
  environment.cpu = cpu_name();
  environment.physical_cores = physical_core_count();
  environment.hardware_threads = allowed_thread_count();
  environment.instruction_set = to_string(usable_instruction_sets().back());
  for (const CudaDevice& device : cuda_driver().devices) environment.gpus.push_back(describe(device));
  environment.cuda_driver = describe(cuda_driver());
  environment.operating_system = operating_system();
  environment.version = p2mpp_version();
  environment.commit = p2mpp_commit();
  environment.compiler = kCompiler;
  environment.build_type = P2MPP_BUILD_TYPE;
  environment.libtorch = describe_libtorch(Engine::libtorch_version());
  return environment;
}

}  // namespace p2mpp
