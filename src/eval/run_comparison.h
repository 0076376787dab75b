#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/json_text.h"
#include "base/table.h"
#include "eval/run_manifest.h"

namespace p2mpp {

/// The change of a metric's mean from one run to another, over the same samples.
struct MeanChange {
  double before = 0, after = 0;  ///< means
  /// 95% confidence interval of the mean's change, and the two-sided p-value of no change. The paired bootstrap draws
  /// the samples' changes with replacement, 10,000 times. NaN for fewer than two samples.
  /// Source: Efron, Tibshirani, "An Introduction to the Bootstrap" (1993), chapters 13 and 16.
  double low = 0, high = 0, p_value = 0;

  [[nodiscard]] double change() const { return after - before; }
};

/// The changes of a category, or of all samples.
struct CategoryChange {
  std::string category;  ///< "all" first, then in the order of the categories
  std::size_t count = 0;
  MeanChange f1_tau, f1_2tau;     ///< per cent
  MeanChange chamfer_distance;    ///< not scaled
  MeanChange normal_consistency;  ///< NaN where a sample has none
};

struct SampleChange {
  std::string id, category;
  double f1_before = 0, f1_after = 0;  ///< per cent at tau
  double cd_before = 0, cd_after = 0;
};

struct RunComparison {
  std::vector<CategoryChange> categories;  ///< empty if no sample is scored in both runs
  std::vector<SampleChange> samples;       ///< scored in both runs, from the largest loss of F1 to the largest gain
  std::size_t only_before = 0, only_after = 0;  ///< samples that one run alone scored
};

/// Compares the scores of two runs, sample by sample. The same results give the same numbers on every machine.
[[nodiscard]] RunComparison compare_runs(const ResultsByIdAndLine& before, const ResultsByIdAndLine& after);

/// A row for each category: F1@tau, its interval and p-value, F1@2tau, CD and normals.
[[nodiscard]] TableCells change_table(const RunComparison& comparison);

/// The `count` samples that lost most and the `count` that gained most, of those that changed.
[[nodiscard]] TableCells sample_table(const RunComparison& comparison, std::size_t count);

[[nodiscard]] Json to_json(const RunComparison& comparison);

}  // namespace p2mpp
