#pragma once

#include <string>

#include "base/table.h"
#include "eval/evaluation_report.h"

namespace p2mpp {

/// results.csv: a header and a line for each sample; empty fields where a sample has no such figure.
[[nodiscard]] std::string results_csv(const Evaluation& evaluation);

/// Statistics of the total, of computing and of each part, a row each, in milliseconds a sample.
[[nodiscard]] TableCells time_table(const EvaluationSummary& summary);

}  // namespace p2mpp
