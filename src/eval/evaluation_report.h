#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/environment.h"
#include "base/json_text.h"
#include "base/numbers/statistics.h"
#include "base/table.h"
#include "eval/evaluation.h"
#include "eval/run_manifest.h"
#include "eval/score_summary.h"
#include "io/test_list.h"

namespace p2mpp {

/// Names of figures, and their statistics.
using NamedStatistics = std::vector<std::pair<std::string, Statistics>>;

/// Statistics of an evaluation. Times are milliseconds per sample, over the samples that gave a mesh.
struct EvaluationSummary {
  std::size_t listed = 0, reconstructed = 0, failed = 0, not_scored = 0;
  bool stopped = false;  ///< a stop was requested before the end of the list
  Statistics total;      ///< reading, computing and writing
  Statistics compute;    ///< wall clock from decoded images to vertices on the host
  std::array<Statistics, kPartCount> parts;
  double wall_seconds = 0, compute_seconds = 0;
  NamedStatistics fit;      ///< of the fit's figures; empty if nothing was fitted
  NamedStatistics volume;   ///< of the figures of volumes' surfaces; empty if there is none
  std::size_t earlier = 0;  ///< reconstructed by an earlier run; wall_seconds does not include them
  std::vector<StepUse> steps;
  ScoreSummary scores;
  std::vector<SampleResult> failures;  ///< failed and not scored, in the list's order
  std::vector<SampleResult> warned;    ///< those with warnings, in the list's order

  /// Reconstructed samples per second: while computing, and from the first file read to the last score.
  [[nodiscard]] double compute_throughput() const;
  [[nodiscard]] double end_to_end_throughput() const;
};
[[nodiscard]] EvaluationSummary summarize(const Evaluation& evaluation);

/// The settings of an evaluation.
struct EvaluationSettings {
  std::filesystem::path list;
  std::size_t limit = 0;  ///< number of entries, from the list's start; 0: all
  Shard shard;            ///< part of the limited list
  PipelineOptions options;
  std::string device, backend, precision, instruction_set;
  int threads = 0;
  BatchChoice batch_choice;
  int batch_at_last = 1;  ///< final batch; less than the choice if that did not fit into memory
  double memory_share = 0;
  ModelInfo model;
};

/// The options that the bytes of the results depend on.
[[nodiscard]] RunIdentity run_identity(const EvaluationSettings& settings);

/// {"settings": ..., "batch": ..., "model": ..., "environment": ...}
[[nodiscard]] RunDescription run_description(const EvaluationSettings& settings, const Environment& environment);
/// "batch" of summary.json: how the batch was chosen, and its final value.
[[nodiscard]] Json batch_document(const EvaluationSettings& settings);

/// "\nbatch: 8 (measured; 16 gain less than 5%)\n", with the final batch if it was reduced; empty if a given batch was
/// kept.
[[nodiscard]] std::string batch_line(const EvaluationSettings& settings);

/// summary.json: the description, then statistics and failures.
[[nodiscard]] Json summary_document(const EvaluationSummary& summary, const RunDescription& description);

/// results.csv: a header, then a line for each sample. A field that a sample does not have is empty. Fits and
/// surfaces of volumes have columns if there is one.
[[nodiscard]] std::string results_csv(const Evaluation& evaluation);

/// Statistics of the total, of computing and of each part, one row each, in milliseconds per sample.
[[nodiscard]] TableCells time_table(const EvaluationSummary& summary);

}  // namespace p2mpp
