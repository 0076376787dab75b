#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/table.h"
#include "pipeline/scoring.h"

namespace p2mpp {

/// Metrics averaged over samples. A figure is NaN where one of the samples has none.
struct MeanScores {
  std::size_t count = 0;
  Scores mean;  ///< without a meaning where the count is 0
};

/// Means of all samples, each with the same weight, and of each category.
class ScoreSummary {
 public:
  void add(const std::string& category, const Scores& scores);

  [[nodiscard]] MeanScores all() const;
  [[nodiscard]] std::map<std::string, MeanScores> by_category() const;

 private:
  MeanScores sum_;
  std::map<std::string, MeanScores> sums_;
};

/// null without samples; else tau, how surfaces are sampled, "count", "vertices", "surface" and "coarse" (null where
/// they are not known) and "by_category".
[[nodiscard]] nlohmann::ordered_json to_json(const ScoreSummary& summary);

/// What one sample scores, by field.
[[nodiscard]] nlohmann::ordered_json to_json(const ShapeMetrics& metrics);

/// Means for people, of all samples and by category: on vertices, on surfaces and after stage 1, where they are known.
[[nodiscard]] TableCells score_table(const ScoreSummary& summary);

/// What the columns of a table of metrics mean.
[[nodiscard]] std::string score_legend();

/// categories.csv: a line for each category and one for "all".
[[nodiscard]] std::string categories_csv(const ScoreSummary& summary);

/// Names of a sample's figures in a CSV file's header, and the figures in that order.
[[nodiscard]] std::vector<std::string> score_columns();
void append_scores(const Scores& scores, std::vector<std::string>& row);

}  // namespace p2mpp
