#pragma once

#include <functional>
#include <string>
#include <vector>

#include "p2mpp/engine.h"

namespace p2mpp {

/// One thing that was computed and compared.
struct SelftestCheck {
  std::string device;     ///< "cpu avx2", "cuda:0"
  std::string precision;  ///< "bf16"
  std::string what;       ///< "convolution"
  double error = 0;  ///< the largest difference (or the mean one, where `what` says so), in parts of the largest value
  double tolerance = 0;  ///< the largest that passes
  std::string problem;   ///< why there is no error to tell (one clause); it failed then

  [[nodiscard]] bool passed() const { return problem.empty() && error <= tolerance; }
};

/// How fast a device was found to be; NaN where that cannot be measured. Nothing passes or fails by it.
struct SelftestRate {
  std::string device;              ///< "cpu", "cuda:0"
  std::string precision;           ///< of the product
  double copied_gb_per_s = 0;      ///< memory, read and written
  double product_gflop_per_s = 0;  ///< a matrix product: LibTorch's on a CPU, our own on CUDA
};

struct SelftestOptions {
  std::string device = "auto";           ///< auto: the CPU and, where one works, the first CUDA device
  std::vector<std::string> precisions;   ///< of precision_choices(); empty or "auto": all that a device has
  std::string instruction_set = "auto";  ///< of the CPU; auto: each that it has
  int threads = 0;                       ///< of the CPU, for rates and the whole network; 0: one for each physical core
};

struct SelftestReport {
  std::vector<SelftestCheck> checks;
  std::vector<SelftestRate> rates;
  std::string note;  ///< why no CUDA device was checked, where one might have been (one line), or empty

  [[nodiscard]] bool passed() const;
};

/// Computes drawn problems with every kernel of the backend `fused` and compares with plain loops in double precision;
/// then a drawn network as a whole, from images to vertices, with the same network as plain loops. Needs no model and
/// no file. Tells each check as it is done. Takes some seconds a device. Throws UsageError for options that do not
/// exist or that no device has, Error where a device that was asked for cannot be used at all.
[[nodiscard]] SelftestReport run_selftest(const SelftestOptions& options,
                                          const std::function<void(const SelftestCheck&)>& on_check);

}  // namespace p2mpp
