#include "eval/scored_predictions.h"

#include <fmt/ranges.h>

#include <utility>

#include "base/table.h"
#include "io/mesh/mesh_file.h"
#include "p2mpp/error.h"
#include "results/prediction_files.h"

namespace p2mpp {
namespace {

// Sets the scores and the warning.
void score(const std::filesystem::path& folder, const std::filesystem::path& truth_root, const ListEntry& entry,
           const PairPlacement& placement, const ComparisonOptions& options, ScoredPrediction& result) {
  if (!entry.problem.empty()) throw InputError(entry.problem);
  TriangleMesh predicted = read_mesh(find_prediction(folder, entry.id));
  TriangleMesh truth = read_mesh(find_ground_truth(truth_root, entry.id));
  const ComparedPair pair = align_pair(std::move(predicted), std::move(truth), placement, options.threads);
  result.scores = score_mesh(pair.predicted, pair.truth, options);
  result.warning = fmt::format("{}", fmt::join(pair.warnings, "; "));
}

}  // namespace

std::vector<ListEntry> list_predictions(const std::filesystem::path& folder) {
  std::vector<ListEntry> entries;
  for (const std::string& id : prediction_ids(folder)) entries.push_back(list_entry(id, entries.size() + 1));
  return entries;
}

std::vector<ScoredPrediction> score_predictions(const std::filesystem::path& folder,
                                                const std::filesystem::path& truth_root,
                                                std::span<const ListEntry> entries, const PairPlacement& placement,
                                                const ComparisonOptions& options,
                                                const std::function<void(const ScoredPrediction&)>& on_result) {
  std::vector<ScoredPrediction> results;
  for (const ListEntry& entry : entries) {
    ScoredPrediction result{.id = entry.id, .category = entry.category, .scores = {}, .problem = {}, .warning = {}};
    try {
      score(folder, truth_root, entry, placement, options, result);
    } catch (const std::bad_alloc&) {
      result.problem = "out of memory";
    } catch (const InputError& error) {
      result.problem = error.what();
    }
    on_result(result);
    results.push_back(std::move(result));
  }
  return results;
}

ScoreSummary summarize(std::span<const ScoredPrediction> predictions) {
  ScoreSummary summary;
  for (const ScoredPrediction& prediction : predictions) {
    if (prediction.scores) summary.add(prediction.category, *prediction.scores);
  }
  return summary;
}

std::string predictions_csv(std::span<const ScoredPrediction> predictions) {
  std::vector<std::string> header = {"id", "category", "problem"};
  for (std::string& name : score_columns()) header.push_back(std::move(name));
  std::string text = csv_line(header);
  for (const ScoredPrediction& prediction : predictions) {
    std::vector<std::string> row = {prediction.id, prediction.category, prediction.problem};
    if (prediction.scores) append_scores(*prediction.scores, row);
    row.resize(header.size());
    text += csv_line(row);
  }
  return text;
}

}  // namespace p2mpp
