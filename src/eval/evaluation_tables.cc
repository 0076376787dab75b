#include "eval/evaluation_tables.h"

#include <fmt/format.h>

#include "base/table.h"

namespace p2mpp {
namespace {

using Row = std::vector<std::string>;

Row csv_header() {
  Row row = {"id", "line", "category", "status", "reason", "total_ms", "compute_ms"};
  for (std::size_t i = 0; i < kPartCount; ++i) row.push_back(fmt::format("{}_ms", to_string(static_cast<Part>(i))));
  for (std::string& name : score_columns()) row.push_back(std::move(name));
  return row;
}

void append_times(const SampleResult& result, Row& row) {
  row.push_back(csv_number(result.total_ms()));
  row.push_back(csv_number(result.compute_ms));
  for (const double value : result.times.milliseconds) row.push_back(csv_number(value));
}

Row csv_row(const SampleResult& result, std::size_t columns) {
  Row row = {result.id, std::to_string(result.line), result.category, std::string(to_string(result.status)),
             result.reason};
  if (!result.failed()) append_times(result, row);
  if (result.scores) append_scores(*result.scores, row);
  row.resize(columns);
  return row;
}

Row time_row(std::string name, const Statistics& times) {
  Row row = {std::move(name)};
  for (const double value :
       {times.mean, times.standard_deviation, times.min, times.median, times.p95, times.p99, times.max}) {
    row.push_back(fixed_cell(value, 2));
  }
  return row;
}

}  // namespace

std::string results_csv(const Evaluation& evaluation) {
  const Row header = csv_header();
  std::string text = csv_line(header);
  for (const SampleResult& result : evaluation.results) text += csv_line(csv_row(result, header.size()));
  return text;
}

TableCells time_table(const EvaluationSummary& summary) {
  TableCells rows = {{"milliseconds a sample", "mean", "stdev", "min", "median", "p95", "p99", "max"}};
  rows.push_back(time_row("total", summary.total));
  for (std::size_t i = 0; i < kPartCount; ++i) {
    const auto part = static_cast<Part>(i);
    const bool of_computing = part != Part::kRead && part != Part::kWrite;
    rows.push_back(time_row(fmt::format("{}{}", of_computing ? "    " : "  ", to_string(part)), summary.parts[i]));
    if (part == Part::kRead) rows.push_back(time_row("  compute", summary.compute));
  }
  return rows;
}

}  // namespace p2mpp
