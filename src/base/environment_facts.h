#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

namespace p2mpp {

/// What a measurement depends on and a reader must know: the machine and the versions.
struct Environment {
  std::string cpu;                ///< "AMD EPYC 9575F"
  int physical_cores = 0;         ///< that this process may use
  int hardware_threads = 0;       ///< that this process may use
  std::string instruction_set;    ///< "avx512_bf16": the most capable that the kernels are compiled for and the CPU has
  std::vector<std::string> gpus;  ///< "NVIDIA H100 (compute capability 9.0, 79 GiB)"; empty where none works
  std::string cuda_driver;        ///< "CUDA 13.0", or why there is none
  std::string operating_system;   ///< "Linux 6.1.0 x86_64"
  std::string version, commit, compiler, build_type;
  std::string libtorch;  ///< "2.11.0", or "none" and what needs it
};

/// Name and value of each fact in the order of display, names as in JSON ("physical_cores").
[[nodiscard]] std::vector<std::pair<std::string, std::string>> environment_facts(const Environment& environment);

[[nodiscard]] nlohmann::ordered_json to_json(const Environment& environment);

}  // namespace p2mpp
