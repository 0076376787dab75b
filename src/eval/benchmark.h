#pragma once

#include <array>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/statistics.h"
#include "p2mpp/engine.h"
#include "pipeline/trace.h"

namespace p2mpp {

/// Something that reconstructs, ready to be measured.
struct BenchmarkSubject {
  std::function<std::vector<ReconstructionResult>(std::span<const Sample>)> reconstruct;
  std::function<double()> measure_gemm_gflops;  ///< gives BenchmarkRow::gemm_gflops
  std::string device, backend, precision;
  int threads = 0;
  BatchChoice batch_choice;
};
/// Loads a model and makes it resident; throws what Engine's constructor throws.
using OpenSubject = std::function<BenchmarkSubject(const EngineOptions&)>;

/// What to measure: every device with every backend, precision and batch.
struct BenchmarkOptions {
  EngineOptions engine;  ///< model, threads and hash check; what is swept over is taken from the lists
  std::vector<std::string> devices = {"auto"};
  std::vector<std::string> backends = {"auto"};
  std::vector<std::string> precisions = {"auto"};
  std::vector<int> batches = {1};  ///< kAutoBatch: measured
  int warmup = -1;                 ///< calls before the first one that counts; -1: 15 on CUDA, 2 on a CPU
  int repeats = 0;                 ///< calls that count; 0: 100 on CUDA, 10 on a CPU
  bool baseline = true;  ///< measure torchscript, fp32, batch 1 on the CPU even where it is not among the above
};

/// One combination. All times are milliseconds a sample: a call's, divided by its batch.
struct BenchmarkRow {
  std::string device, backend, precision;  ///< as resolved; as asked for where that was not possible
  int batch = 1;                           ///< kAutoBatch: was to be measured
  int threads = 0;                         ///< of the CPU
  BatchChoice batch_choice;
  int warmup = 0;
  int repeats = 0;
  std::string skipped;  ///< why it was not measured (one clause), empty if it was
  bool is_baseline = false;
  /// 1e9 floating-point operations a second of the machine's matrix product, in this precision and with so many
  /// threads, measured right before the calls (backends/torchscript/gemm_rate.h); NaN where there is no such figure.
  double gemm_gflops = 0;
  Statistics total;  ///< wall clock from decoded images to vertices on the host
  std::array<Statistics, kPartCount> parts;
  double samples_per_second = 0;
  double speedup = 0;                     ///< baseline's median total / this one's; NaN without a baseline
  std::uint64_t peak_resident_bytes = 0;  ///< of the process while this combination was loaded and measured

  [[nodiscard]] bool measured() const { return skipped.empty(); }
};

/// "auto" or the number.
[[nodiscard]] std::string batch_name(int batch);

/// Measures all combinations, the baseline first if it is not among them. What this machine cannot do is a skipped row.
/// `on_start` is told each combination before it is measured.
/// Throws UsageError for a name that does not exist, InputError for a bad model, Error if no combination can be
/// measured.
[[nodiscard]] std::vector<BenchmarkRow> run_benchmark(const BenchmarkOptions& options, const Sample& sample,
                                                      const OpenSubject& open, Trace& trace,
                                                      const std::function<void(std::string_view)>& on_start);

/// The parts that lie between decoded images and vertices on the host, in their order.
inline constexpr std::array kMeasuredParts = {Part::kPreprocess, Part::kCopyIn,     Part::kCnn1, Part::kGcn,
                                              Part::kCnn2,       Part::kProjection, Part::kDrb,  Part::kCopyOut};

/// An OpenSubject: loads the model and makes it resident. Throws what Engine's constructor throws.
[[nodiscard]] BenchmarkSubject open_engine_subject(const EngineOptions& options);

}  // namespace p2mpp
