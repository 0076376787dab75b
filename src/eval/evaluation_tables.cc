#include "eval/evaluation_tables.h"

#include <fmt/format.h>

#include "eval/csv.h"

namespace p2mpp {
namespace {

using Row = std::vector<std::string>;

Row csv_header() {
  Row row = {"id", "line", "category", "status", "reason", "total_ms", "compute_ms"};
  for (std::size_t i = 0; i < kPartCount; ++i) row.push_back(fmt::format("{}_ms", to_string(static_cast<Part>(i))));
  for (const MetricField& field : kMetricFields) row.push_back(fmt::format("vertices_{}", field.name));
  for (const MetricField& field : kMetricFields) row.push_back(fmt::format("surface_{}", field.name));
  return row;
}

void append_times(const SampleResult& result, Row& row) {
  row.push_back(csv_number(result.total_ms()));
  row.push_back(csv_number(result.compute_ms));
  for (const double value : result.times.milliseconds) row.push_back(csv_number(value));
}

void append_metrics(const ShapeMetrics& metrics, Row& row) {
  for (const MetricField& field : kMetricFields) row.push_back(csv_number(metrics.*field.value));
}

Row csv_row(const SampleResult& result, std::size_t columns) {
  Row row = {result.id, std::to_string(result.line), result.category, std::string(to_string(result.status)),
             result.reason};
  if (!result.failed()) append_times(result, row);
  if (result.scores) {
    append_metrics(result.scores->vertices, row);
    append_metrics(result.scores->surface, row);
  }
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

Row score_row(std::string name, std::size_t count, const ShapeMetrics& metrics) {
  Row row = {std::move(name), std::to_string(count), fixed_cell(1000 * metrics.chamfer_distance, 4)};
  for (const MetricField& field : kMetricFields) {
    if (field.value != &ShapeMetrics::chamfer_distance) row.push_back(fixed_cell(metrics.*field.value, 2));
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

TableCells score_table(const EvaluationSummary& summary) {
  TableCells rows = {
      {"metrics, mean", "samples", "CD x1000", "F1@tau", "precision", "recall", "F1@2tau", "precision", "recall"}};
  rows.push_back(score_row("vertices", summary.scores.count, summary.scores.mean.vertices));
  for (const auto& [category, scores] : summary.scores_by_category) {
    rows.push_back(score_row("  " + category, scores.count, scores.mean.vertices));
  }
  rows.push_back(
      score_row(fmt::format("surface ({} points)", kSurfacePoints), summary.scores.count, summary.scores.mean.surface));
  for (const auto& [category, scores] : summary.scores_by_category) {
    rows.push_back(score_row("  " + category, scores.count, scores.mean.surface));
  }
  return rows;
}

}  // namespace p2mpp
