#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/environment.h"
#include "base/json_text.h"
#include "base/numbers/statistics.h"
#include "model/flop_count.h"
#include "p2mpp/engine.h"
#include "p2mpp/sample.h"
#include "pipeline/trace.h"

namespace p2mpp {

/// A loaded reconstructor with its properties, ready to be measured.
struct BenchmarkSubject {
  std::function<std::vector<ReconstructionResult>(std::span<const Sample>)> reconstruct;
  std::function<double()> measure_gemm_gflops;  ///< computes BenchmarkRow::gemm_gflops
  std::string device, backend, precision;
  int threads = 0;
  BatchChoice batch_choice;
};
/// Loads a model and makes it resident on the device. Throws what Engine's constructor throws.
using OpenSubject = std::function<BenchmarkSubject(const EngineOptions&)>;

/// The settings to measure: every combination of device, backend, precision and batch.
struct BenchmarkOptions {
  EngineOptions engine;  ///< model, threads and hash check; the lists below replace its other fields
  std::vector<std::string> devices = {"auto"};
  std::vector<std::string> backends = {"auto"};
  std::vector<std::string> precisions = {"auto"};
  std::vector<int> batches = {1};  ///< kAutoBatch: measured
  int warmup = -1;                 ///< warm-up calls; -1: 15 on CUDA, 2 on a CPU
  int repeats = 0;                 ///< measured calls; 0: 100 on CUDA, 10 on a CPU
  bool baseline = true;            ///< also measure torchscript, fp32, batch 1 on the CPU if it is not among the above
};

/// One combination. All times are milliseconds per sample: the time of a call divided by its batch.
struct BenchmarkRow {
  std::string device, backend, precision;  ///< resolved values; as requested if they could not be resolved
  int batch = 1;                           ///< kAutoBatch if it was requested and the row was skipped
  int threads = 0;                         ///< of the CPU
  BatchChoice batch_choice;
  int warmup = 0;
  int repeats = 0;
  std::string skipped;  ///< why it was not measured (one clause), empty if it was
  bool is_baseline = false;
  /// GFLOP/s of a large matrix product in this precision and with this number of threads, measured right before the
  /// calls (backends/torchscript/library.h). NaN if not available.
  double gemm_gflops = 0;
  Statistics total;  ///< wall clock from decoded images to vertices on the host
  std::array<Statistics, kPartCount> parts;
  double samples_per_second = 0;
  double speedup = 0;                     ///< median total of the baseline / that of this row; NaN without a baseline
  std::uint64_t peak_resident_bytes = 0;  ///< of the process while this combination was loaded and measured

  [[nodiscard]] bool measured() const { return skipped.empty(); }
};

/// "auto" for kAutoBatch, else the number.
[[nodiscard]] std::string batch_size_name(int batch);

/// Measures all combinations; the baseline comes first unless the lists contain it. A combination that this machine
/// does not support gives a skipped row. Calls `on_start` before each measurement. Throws UsageError for a name that
/// does not exist, InputError for a bad model, and Error if no combination can be measured.
[[nodiscard]] std::vector<BenchmarkRow> run_benchmark(const BenchmarkOptions& options, const Sample& sample,
                                                      const OpenSubject& open, Trace& trace,
                                                      const std::function<void(std::string_view)>& on_start);

/// The parts between decoded images and vertices on the host, in their order.
inline constexpr std::array kMeasuredParts = {Part::kPreprocess, Part::kCopyIn,     Part::kCnn1, Part::kGcn,
                                              Part::kCnn2,       Part::kProjection, Part::kDrb,  Part::kCopyOut};

/// The OpenSubject that opens an Engine. Throws what Engine's constructor throws.
[[nodiscard]] BenchmarkSubject open_engine_subject(const EngineOptions& options);

/// Three views of 137x137 pixels, each showing a few smoothly shaded ellipses on a transparent ground, drawn from a
/// seed. For measuring speed, which does not depend on the picture.
[[nodiscard]] Sample synthetic_sample(std::uint64_t seed);

/// Measurements and everything that they depend on.
struct BenchmarkReport {
  std::vector<BenchmarkRow> rows;
  ModelInfo model;
  std::string sample_id;
  std::size_t view_count = 0;
  FlopCount flops;  ///< of one sample
  Environment environment;
};

/// Everything but the rows, as pairs of name and value: model, sample, hardware, versions, commit.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> benchmark_facts(const BenchmarkReport& report);

/// The rows and facts as JSON. "gflops" and "share_of_gemm_rate" (1: the full rate) are computed from the median time,
/// and null for a part whose operations are not counted.
[[nodiscard]] Json benchmark_document(const BenchmarkReport& report);

/// A line for each combination and part ("total" first), each with all facts. A skipped combination is one line.
[[nodiscard]] std::string benchmark_csv(const BenchmarkReport& report);

/// Tables for people: totals of all combinations, parts of each measured combination with their share of the matrix
/// product's rate, skipped combinations with reasons, facts.
[[nodiscard]] std::string benchmark_markdown(const BenchmarkReport& report);

}  // namespace p2mpp
