#pragma once

#include <filesystem>
#include <functional>

#include "base/json_text.h"
#include "cli/support/command.h"
#include "eval/evaluation_report.h"
#include "eval/profile.h"
#include "report/evaluation_page.h"

// Functions that `eval`, `worker` and `merge` share.
namespace p2mpp::cli {

/// The sources of samples, and the destination and formats of results.
struct EvaluationPaths {
  std::filesystem::path images_root;
  std::filesystem::path truth_root;  ///< empty: nothing is scored
  std::filesystem::path out;
  RunOptions run;
};

/// The settings of an evaluation with an engine. The caller fills in list, limit and shard. Scores are computed on the
/// engine's GPU if the backend is `fused`, otherwise on the CPU.
[[nodiscard]] EvaluationSettings describe_run(const EvaluationPaths& paths, const Settings& settings,
                                              const Engine& engine);

/// Prints where the time went: a table by part, a table by step, memory, and a sentence that names the bottleneck.
void print_profile(const EvaluationSummary& summary, const std::vector<MemorySample>& memory);

/// Writes results.csv, summary.json (the document, which includes the run's description) and, if samples were scored,
/// categories.csv into the folder. Then calls `draw` and writes report.html. A failure of this step is logged and loses
/// nothing else, unless the disk fails. Prints the document, or tables. Returns the exit code of the results.
[[nodiscard]] ExitCode write_outputs(const Evaluation& evaluation, const EvaluationSummary& summary,
                                     const Json& document, const std::function<EvaluationPictures()>& draw,
                                     const std::filesystem::path& folder, bool json);

/// Writes the trace. A failure is logged: the results are there.
void write_trace(const Trace& trace);

}  // namespace p2mpp::cli
