#include "base/environment_facts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

namespace p2mpp {

std::vector<std::pair<std::string, std::string>> environment_facts(const Environment& environment) {
  const std::string gpus = environment.gpus.empty() ? "none" : fmt::format("{}", fmt::join(environment.gpus, "; "));
  return {{"cpu", environment.cpu},
          {"physical_cores", std::to_string(environment.physical_cores)},
          {"hardware_threads", std::to_string(environment.hardware_threads)},
          {"instruction_set", environment.instruction_set},
          {"gpu", gpus},
          {"cuda_driver", environment.cuda_driver},
          {"operating_system", environment.operating_system},
          {"p2mpp", environment.version},
          {"commit", environment.commit},
          {"libtorch", environment.libtorch},
          {"compiler", environment.compiler},
          {"build_type", environment.build_type}};
}

nlohmann::ordered_json to_json(const Environment& environment) {
  return {{"cpu", environment.cpu},
          {"physical_cores", environment.physical_cores},
          {"hardware_threads", environment.hardware_threads},
          {"instruction_set", environment.instruction_set},
          {"gpus", environment.gpus},
          {"cuda_driver", environment.cuda_driver},
          {"operating_system", environment.operating_system},
          {"p2mpp", environment.version},
          {"commit", environment.commit},
          {"libtorch", environment.libtorch},
          {"compiler", environment.compiler},
          {"build_type", environment.build_type}};
}

}  // namespace p2mpp
