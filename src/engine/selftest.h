#pragma once

#include <functional>
#include <string>
#include <vector>

#include "p2mpp/engine.h"

namespace p2mpp {

/// One comparison of a computed result with the expected one.
struct SelftestCheck {
  std::string device;     ///< "cpu avx2", "cuda:0"
  std::string precision;  ///< "bf16"
  std::string what;       ///< "convolution"
  double error = 0;       ///< largest difference (mean if `what` says so), relative to the largest value
  double tolerance = 0;   ///< the largest error that passes
  std::string problem;    ///< why the check could not run (one clause), which counts as failed; empty if it ran

  [[nodiscard]] bool passed() const { return problem.empty() && error <= tolerance; }
};

/// Measured speed of a device, for information only: it does not make the self-test fail. NaN if it cannot be measured.
struct SelftestRate {
  std::string device;              ///< "cpu", "cuda:0"
  std::string precision;           ///< of the matrix product
  double copied_gb_per_s = 0;      ///< memory bandwidth of a copy, bytes read plus bytes written
  double product_gflop_per_s = 0;  ///< a matrix product: LibTorch's on a CPU, our own on CUDA
  double start_check_ms = 0;       ///< CUDA only: time of the self-check at an engine's start
};

struct SelftestOptions {
  std::string device = "auto";           ///< auto: the CPU and, if it works, the first CUDA device
  std::vector<std::string> precisions;   ///< of precision_choices(); empty or "auto": all that the device supports
  std::string instruction_set = "auto";  ///< of the CPU; auto: each supported one in turn
  int threads = 0;                       ///< CPU threads for rates and the whole network; 0: one per physical core
};

struct SelftestReport {
  std::vector<SelftestCheck> checks;
  std::vector<SelftestRate> rates;
  std::string note;  ///< why device "auto" did not include a CUDA device (one line), or empty

  [[nodiscard]] bool passed() const;
};

/// Runs every kernel of the backend `fused` on random inputs and compares the results with plain loops in double
/// precision. Then does the same with a whole network with random weights, from images to vertices. Needs no model and
/// no files. Calls `on_check` after each check. Takes some seconds per device. Throws UsageError for options that do
/// not exist or that no checked device supports, and Error if a device that was named cannot be used at all.
[[nodiscard]] SelftestReport run_selftest(const SelftestOptions& options,
                                          const std::function<void(const SelftestCheck&)>& on_check);

}  // namespace p2mpp
