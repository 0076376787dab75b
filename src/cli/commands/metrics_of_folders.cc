#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "base/json_text.h"
#include "base/table.h"
#include "cli/commands/metrics_modes.h"
#include "cli/support/console.h"
#include "eval/scored_predictions.h"
#include "p2mpp/error.h"

namespace p2mpp::cli {
namespace {

using Json = nlohmann::ordered_json;

Json document_of(const MetricsOptions& options, std::span<const ScoredPrediction> predictions,
                 const ScoreSummary& summary) {
  Json failures = Json::array();
  for (const ScoredPrediction& each : predictions) {
    if (!each.problem.empty()) failures.push_back({{"id", each.id}, {"reason", each.problem}});
  }
  return {{"predicted", options.predicted.string()},
          {"truth", options.truth.string()},
          {"samples", {{"listed", predictions.size()}, {"scored", predictions.size() - failures.size()}}},
          {"metrics", to_json(summary)},
          {"failures", failures}};
}

void write_tables(const MetricsOptions& options, std::span<const ScoredPrediction> predictions,
                  const ScoreSummary& summary, const Json& document) {
  write_file_atomically(options.out / "results.csv", predictions_csv(predictions));
  write_file_atomically(options.out / "categories.csv", categories_csv(summary));
  write_file_atomically(options.out / "summary.json", json_text(document));
  spdlog::info("wrote results.csv, categories.csv and summary.json in {}", options.out.string());
}

}  // namespace

ExitCode compare_folders(const MetricsOptions& options) {
  const std::vector<ListEntry> entries =
      options.list.empty() ? list_predictions(options.predicted) : read_test_list(options.list);
  if (!options.out.empty()) prepare_output_folder(options.out);
  std::size_t failed = 0;
  const auto predictions = score_predictions(options.predicted, options.truth, entries, options.comparison,
                                             [&](const ScoredPrediction& result) {
                                               if (result.problem.empty()) return;
                                               ++failed;
                                               spdlog::error("{}: {}", result.id, result.problem);
                                             });
  const ScoreSummary summary = summarize(predictions);
  const Json document = document_of(options, predictions, summary);
  if (!options.out.empty()) write_tables(options, predictions, summary, document);
  if (options.json) {
    print_json(document);
  } else {
    print(fmt::format("{} of {} predictions scored\n\n", predictions.size() - failed, predictions.size()));
    print(format_table(score_table(summary)));
    print(score_legend());
  }
  return failed > 0 ? ExitCode::kSomeSamplesFailed : ExitCode::kDone;
}

}  // namespace p2mpp::cli
