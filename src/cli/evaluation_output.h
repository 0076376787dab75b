#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "cli/command.h"
#include "eval/evaluation_report.h"

namespace p2mpp::cli {

/// Writes results.csv, summary.json and, where samples were scored, categories.csv into the folder; prints the document
/// or tables. Gives the exit code that the results call for.
[[nodiscard]] ExitCode put_out(const Evaluation& evaluation, const EvaluationSummary& summary,
                               const nlohmann::ordered_json& document, const std::filesystem::path& folder, bool json);

}  // namespace p2mpp::cli
