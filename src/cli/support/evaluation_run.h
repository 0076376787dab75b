#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "cli/support/settings.h"
#include "eval/evaluation_report.h"
#include "eval/profile.h"
#include "report/evaluation_pictures.h"

// What `eval`, `worker` and `merge` share of an evaluation.
namespace p2mpp::cli {

/// Where the samples of an evaluation come from, and what is written of them.
struct EvaluationPaths {
  std::filesystem::path images_root;
  std::filesystem::path truth_root;  ///< empty: nothing is scored
  std::filesystem::path out;
  Frame frame = Frame::kCamera0;
  MeshOutput meshes;
};

/// An evaluation by an engine; list, limit and shard are left to the caller. Scores where it computes, if that is with
/// kernels of ours.
[[nodiscard]] EvaluationSettings describe_run(const EvaluationPaths& paths, const Settings& settings,
                                              const Engine& engine);

/// Where the time went: a table by part, one by step, memory, and a sentence that names the bottleneck.
void print_profile(const EvaluationSummary& summary, const std::vector<MemorySample>& memory);

/// Writes results.csv, summary.json (the document, which holds the run's description), report.html and, where samples
/// were scored, categories.csv into the folder; prints the document or tables. Gives the exit code that the results
/// call for.
[[nodiscard]] ExitCode write_outputs(const Evaluation& evaluation, const EvaluationSummary& summary,
                                     const nlohmann::ordered_json& document, const EvaluationPictures& pictures,
                                     const std::filesystem::path& folder, bool json);

}  // namespace p2mpp::cli
