#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "cli/support/command.h"
#include "eval/evaluation_report.h"
#include "eval/profile.h"
#include "report/evaluation_pictures.h"

namespace p2mpp::cli {

/// Where the time went: a table by part, one by stage, memory, and a sentence that names the bottleneck.
void print_profile(const EvaluationSummary& summary, const std::vector<MemorySample>& memory);

/// Writes results.csv, summary.json (the document, which holds the run's description), report.html and, where samples
/// were scored, categories.csv into the folder; prints the document or tables. Gives the exit code that the results
/// call for.
[[nodiscard]] ExitCode put_out(const Evaluation& evaluation, const EvaluationSummary& summary,
                               const nlohmann::ordered_json& document, const EvaluationPictures& pictures,
                               const std::filesystem::path& folder, bool json);

}  // namespace p2mpp::cli
