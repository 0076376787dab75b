#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_text.h"

namespace p2mpp {

/// "0.2.0"
[[nodiscard]] std::string_view p2mpp_version();

/// The commit that the program was built from, with "-dirty" if files differed from the commit. "unknown" outside of
/// git.
[[nodiscard]] std::string_view p2mpp_commit();

/// The machine and the versions that a measurement depends on.
struct Environment {
  std::string cpu;                ///< "AMD EPYC 9575F"
  int physical_cores = 0;         ///< available to this process
  int hardware_threads = 0;       ///< available to this process
  std::string instruction_set;    ///< "avx512_bf16": the most capable that both kernels and CPU support
  std::string bf16;               ///< "avx512_bf16, faster than fp32: ...": the set for bf16, and why
  std::vector<std::string> gpus;  ///< "NVIDIA H100 (compute capability 9.0, 79 GiB)"; empty if none works
  std::string cuda_driver;        ///< "CUDA 13.0", or why it is not available
  std::string operating_system;   ///< "Linux 6.1.0 x86_64"
  std::string version, commit, compiler, build_type;
  std::string libtorch;  ///< "2.11.0", or "none" and what needs it
};

/// Describes this machine and program. Initialises the CUDA driver, once per process. `libtorch`: LibTorch's version,
/// which only a higher layer knows.
[[nodiscard]] Environment describe_environment(const std::string& libtorch);

/// All fields in the order of display ("cpu", ..., "gpus": an array, ..., "build_type").
[[nodiscard]] Json to_json(const Environment& environment);

/// The same fields as text, for tables and CSV. The GPUs are one field, "gpu", which is "none" without a GPU.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> environment_facts(const Environment& environment);

}  // namespace p2mpp
