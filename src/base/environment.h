#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace p2mpp {

/// "0.2.0"
[[nodiscard]] std::string_view p2mpp_version();

/// The commit that the program was built from, with "-dirty" where files differed from it; "unknown" outside of git.
[[nodiscard]] std::string_view p2mpp_commit();

/// The machine and the versions that a measurement depends on.
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

/// Asks the machine; the CUDA driver is started for it (once). `libtorch` is LibTorch's version, which only a higher
/// layer knows.
[[nodiscard]] Environment describe_environment(const std::string& libtorch);

/// All fields in the order of display ("cpu", ..., "gpus": an array, ..., "build_type").
[[nodiscard]] nlohmann::ordered_json to_json(const Environment& environment);

/// The same fields as text, for tables and CSV; the GPUs are one field, "gpu", which is "none" where there is no GPU.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> environment_facts(const Environment& environment);

}  // namespace p2mpp
