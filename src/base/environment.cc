#include "base/environment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>
#include <sys/utsname.h>

#include <nlohmann/json.hpp>

#include "base/commit.h"
#include "base/json_text.h"
#include "base/machine/device_choice.h"
#include "base/machine/host.h"
#include "base/machine/instruction_set.h"
#include "p2mpp/device.h"
#include "p2mpp/error.h"
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

std::string gpu_text(const CudaDevice& device) {
  constexpr double kGibibyte = 1u << 30;
  return fmt::format("{} (compute capability {}, {:.0f} GiB)", device.name, capability_text(device.compute_capability),
                     static_cast<double>(device.memory_bytes) / kGibibyte);
}

std::string bf16_text() {
  const InstructionSet set = choose_instruction_set("auto", Products::kBf16);
  const Bf16Speed speed = bf16_speed(set);
  return fmt::format("{}, {} than fp32: {}", to_string(set), speed.is_faster ? "faster" : "slower", speed.reason);
}

std::string libtorch_text(const std::string& version) {
  if (version != "none") return version;
  return "none (the backend torchscript, and bench's baseline and GEMM rate, need it: scripts/setup.sh --all)";
}

std::string operating_system() {
  utsname names{};
  if (uname(&names) != 0) return "unknown";
  return fmt::format("{} {} {}", names.sysname, names.release, names.machine);
}

}  // namespace

std::string_view p2mpp_version() { return P2MPP_VERSION; }
std::string_view p2mpp_commit() { return P2MPP_COMMIT; }

Environment describe_environment(const std::string& libtorch) {
  Environment environment;
  environment.cpu = cpu_name();
  environment.physical_cores = physical_core_count();
  environment.hardware_threads = allowed_thread_count();
  environment.instruction_set = to_string(usable_instruction_sets().back());
  environment.bf16 = bf16_text();
  try {
    const CudaDriver& driver = cuda_driver();
    for (const CudaDevice& device : driver.devices) environment.gpus.push_back(gpu_text(device));
    environment.cuda_driver = "CUDA " + cuda_version_text(driver.version);
  } catch (const Error& error) {
    environment.cuda_driver = error.what();
  }
  environment.operating_system = operating_system();
  environment.version = p2mpp_version();
  environment.commit = p2mpp_commit();
  environment.compiler = kCompiler;
  environment.build_type = P2MPP_BUILD_TYPE;
  environment.libtorch = libtorch_text(libtorch);
  return environment;
}

Json to_json(const Environment& environment) {
  return {{"cpu", environment.cpu},
          {"physical_cores", environment.physical_cores},
          {"hardware_threads", environment.hardware_threads},
          {"instruction_set", environment.instruction_set},
          {"bf16", environment.bf16},
          {"gpus", environment.gpus},
          {"cuda_driver", environment.cuda_driver},
          {"operating_system", environment.operating_system},
          {"p2mpp", environment.version},
          {"commit", environment.commit},
          {"libtorch", environment.libtorch},
          {"compiler", environment.compiler},
          {"build_type", environment.build_type}};
}

std::vector<std::pair<std::string, std::string>> environment_facts(const Environment& environment) {
  std::vector<std::pair<std::string, std::string>> facts;
  const Json fields = to_json(environment);
  for (const auto& [name, value] : fields.items()) {
    if (value.is_array()) {
      const auto gpus = value.get<std::vector<std::string>>();
      facts.emplace_back("gpu", gpus.empty() ? "none" : fmt::format("{}", fmt::join(gpus, "; ")));
    } else {
      facts.emplace_back(name, value.is_string() ? value.get<std::string>() : value.dump());
    }
  }
  return facts;
}

}  // namespace p2mpp
