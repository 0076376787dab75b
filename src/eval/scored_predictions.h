#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "eval/score_summary.h"
#include "io/test_list.h"

namespace p2mpp {

/// What became of one prediction of a folder.
struct ScoredPrediction {
  std::string id;
  std::string category;
  std::optional<Scores> scores;
  std::string problem;  ///< why it was not scored, one line; empty if it was
};

/// An entry for each prediction in the folder. Throws InputError if there are none.
[[nodiscard]] std::vector<ListEntry> list_predictions(const std::filesystem::path& folder);

/// Holds the prediction of each entry, see find_prediction(), against its ground truth, wherever it comes from: `eval`
/// or another program. A sample that cannot be scored is named with its problem and the others go on. `on_result` is
/// called after each.
[[nodiscard]] std::vector<ScoredPrediction> score_predictions(
    const std::filesystem::path& folder, const std::filesystem::path& truth_root, std::span<const ListEntry> entries,
    const ComparisonOptions& options, const std::function<void(const ScoredPrediction&)>& on_result);

[[nodiscard]] ScoreSummary summarize(std::span<const ScoredPrediction> predictions);

/// A header and a line for each prediction: id, category, problem and its figures.
[[nodiscard]] std::string predictions_csv(std::span<const ScoredPrediction> predictions);

}  // namespace p2mpp
