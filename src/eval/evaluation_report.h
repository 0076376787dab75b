#pragma once

#include <array>
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/environment.h"
#include "base/statistics.h"
#include "base/table.h"
#include "eval/score_summary.h"
#include "pipeline/evaluation.h"
#include "pipeline/run_manifest.h"
#include "pipeline/shard.h"

namespace p2mpp {

/// An evaluation in figures. Times are milliseconds a sample, over the samples that gave a mesh.
struct EvaluationSummary {
  std::size_t listed = 0, reconstructed = 0, failed = 0, not_scored = 0;
  bool stopped = false;  ///< before the end of the list, as asked for
  Statistics total;      ///< reading, computing and writing
  Statistics compute;    ///< wall clock from decoded images to vertices on the host
  std::array<Statistics, kPartCount> parts;
  double wall_seconds = 0, compute_seconds = 0;
  std::size_t earlier = 0;  ///< of the reconstructed, those of an earlier run, which the wall seconds leave out
  std::vector<StepUse> steps;
  ScoreSummary scores;
  std::vector<SampleResult> failures;  ///< failed and not scored, in the list's order

  /// Samples with a mesh a second: of computing alone, and of everything from the first file read to the last score.
  [[nodiscard]] double compute_throughput() const;
  [[nodiscard]] double end_to_end_throughput() const;
};
[[nodiscard]] EvaluationSummary summarize(const Evaluation& evaluation);

/// What was run, beside its figures.
struct EvaluationSettings {
  std::filesystem::path list;
  std::size_t limit = 0;  ///< of entries; 0: all
  Shard shard;            ///< of those
  EvaluationOptions options;
  std::string device, backend, precision, instruction_set;
  int threads = 0;
  BatchChoice batch_choice;
  int batch_at_last = 1;  ///< less than the choice where the memory did not suffice for it
  double memory_share = 0;
  ModelInfo model;
};

/// What the bytes of the results depend on.
[[nodiscard]] RunIdentity run_identity(const EvaluationSettings& settings);

/// {"settings": ..., "batch": ..., "model": ..., "environment": ...}
[[nodiscard]] RunDescription run_description(const EvaluationSettings& settings, const Environment& environment);
/// Of summary.json "batch": how it was chosen, and what it was at last.
[[nodiscard]] nlohmann::ordered_json batch_document(const EvaluationSettings& settings);

/// "\nbatch: 8 (measured; 16 gain less than 5%)\n", and what became of it; empty where it stayed as it was given.
[[nodiscard]] std::string batch_line(const EvaluationSettings& settings);

/// summary.json: the description, then figures and failures.
[[nodiscard]] nlohmann::ordered_json summary_document(const EvaluationSummary& summary,
                                                      const RunDescription& description);

/// results.csv: a header and a line for each sample; empty fields where a sample has no such figure.
[[nodiscard]] std::string results_csv(const Evaluation& evaluation);

/// Statistics of the total, of computing and of each part, a row each, in milliseconds a sample.
[[nodiscard]] TableCells time_table(const EvaluationSummary& summary);

}  // namespace p2mpp
