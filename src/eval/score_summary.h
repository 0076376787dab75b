#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/json_text.h"
#include "base/table.h"
#include "pipeline/scoring.h"

namespace p2mpp {

/// The English name of a category that is a WordNet 3.0 noun synset of ShapeNetCore ("aeroplane" for "02691156"). Any
/// other category is returned unchanged.
[[nodiscard]] std::string category_name(std::string_view category);

/// Mean metrics of samples. A mean is NaN if one of the samples does not have the metric.
struct MeanScores {
  std::size_t count = 0;
  Scores mean;  ///< undefined if `count` is 0
};

/// Means over all samples, with equal weights, and over each category.
class ScoreSummary {
 public:
  void add(const std::string& category, const Scores& scores);

  [[nodiscard]] MeanScores all() const;
  [[nodiscard]] std::map<std::string, MeanScores> by_category() const;

 private:
  MeanScores sum_;
  std::map<std::string, MeanScores> sums_;
};

/// null without samples; else tau, how surfaces are sampled, "count", "vertices", "surface" and "coarse" (null if
/// unknown) and "by_category".
[[nodiscard]] Json to_json(const ScoreSummary& summary);

/// The metrics of one sample, by field name.
[[nodiscard]] Json to_json(const ShapeMetrics& metrics);

/// Means for people, over all samples and by category: on vertices, on surfaces and after stage 1, as far as they are
/// known.
[[nodiscard]] TableCells score_table(const ScoreSummary& summary);

/// The meaning of the columns in a table of metrics.
[[nodiscard]] std::string score_legend();

/// categories.csv: a line for each category, and one for "all".
[[nodiscard]] std::string categories_csv(const ScoreSummary& summary);

/// A sample's metrics in a CSV file: the names for the header, and the values in the same order.
[[nodiscard]] std::vector<std::string> score_columns();
void append_scores(const Scores& scores, std::vector<std::string>& row);

}  // namespace p2mpp
