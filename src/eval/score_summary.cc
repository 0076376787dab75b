#include "eval/score_summary.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "eval/csv.h"

namespace p2mpp {
namespace {

using Json = nlohmann::ordered_json;
using Row = std::vector<std::string>;

void add_to(MeanScores& sum, const Scores& scores) {
  // Without samples, a figure counts as zero, not as missing.
  if (sum.count++ == 0) sum.mean.vertices.normal_consistency = sum.mean.surface.normal_consistency = 0;
  for (const MetricField& field : kMetricFields) {
    sum.mean.vertices.*field.value += scores.vertices.*field.value;
    sum.mean.surface.*field.value += scores.surface.*field.value;
  }
}

MeanScores divided(MeanScores sum) {
  if (sum.count == 0) return sum;
  for (const MetricField& field : kMetricFields) {
    sum.mean.vertices.*field.value /= static_cast<double>(sum.count);
    sum.mean.surface.*field.value /= static_cast<double>(sum.count);
  }
  return sum;
}

Json mean_json(const MeanScores& scores) {
  return {{"count", scores.count},
          {"vertices", to_json(scores.mean.vertices)},
          {"surface", scores.mean.has_surface() ? to_json(scores.mean.surface) : Json(nullptr)}};
}

Row table_row(std::string name, std::size_t count, const ShapeMetrics& metrics) {
  return {std::move(name),
          std::to_string(count),
          fixed_cell(1000 * metrics.chamfer_distance, 4),
          fixed_cell(metrics.f1_tau, 2),
          fixed_cell(metrics.precision_tau, 2),
          fixed_cell(metrics.recall_tau, 2),
          fixed_cell(metrics.f1_2tau, 2),
          fixed_cell(metrics.precision_2tau, 2),
          fixed_cell(metrics.recall_2tau, 2),
          fixed_cell(metrics.hausdorff_90, 4),
          fixed_cell(metrics.normal_consistency, 3)};
}

void append_rows(const ScoreSummary& summary, const std::string& name, ShapeMetrics Scores::*side, TableCells& rows) {
  const MeanScores all = summary.all();
  rows.push_back(table_row(name, all.count, all.mean.*side));
  for (const auto& [category, scores] : summary.by_category()) {
    rows.push_back(table_row("  " + category, scores.count, scores.mean.*side));
  }
}

Row csv_row(const std::string& category, const MeanScores& scores) {
  Row row = {category, std::to_string(scores.count)};
  append_scores(scores.mean, row);
  return row;
}

}  // namespace

void ScoreSummary::add(const std::string& category, const Scores& scores) {
  add_to(sum_, scores);
  add_to(sums_[category], scores);
}

MeanScores ScoreSummary::all() const { return divided(sum_); }

std::map<std::string, MeanScores> ScoreSummary::by_category() const {
  std::map<std::string, MeanScores> means;
  for (const auto& [category, sum] : sums_) means[category] = divided(sum);
  return means;
}

Json to_json(const ShapeMetrics& metrics) {
  Json json;
  for (const MetricField& field : kMetricFields) json[field.name] = metrics.*field.value;
  return json;
}

Json to_json(const ScoreSummary& summary) {
  const MeanScores all = summary.all();
  if (all.count == 0) return nullptr;
  Json json = {{"tau", kTau}, {"surface_points", kSurfacePoints}, {"surface_seed", kSurfaceSeed}};
  json.update(mean_json(all));
  json["by_category"] = Json::object();
  for (const auto& [category, scores] : summary.by_category()) json["by_category"][category] = mean_json(scores);
  return json;
}

TableCells score_table(const ScoreSummary& summary) {
  TableCells rows = {{"metrics, mean", "samples", "CD x1000", "F1@tau", "precision", "recall", "F1@2tau", "precision",
                      "recall", "Hausdorff 90", "normals"}};
  append_rows(summary, "vertices", &Scores::vertices, rows);
  if (summary.all().mean.has_surface()) {
    append_rows(summary, fmt::format("surface ({} points)", kSurfacePoints), &Scores::surface, rows);
  }
  return rows;
}

std::string score_legend() {
  return fmt::format(
      "CD: mean squared distance, both ways; F1, precision, recall in per cent at the squared distance tau = {:g};\n"
      "Hausdorff 90: distance within which 90% of either side's points have one of the other; normals: mean |cosine|\n",
      kTau);
}

std::string categories_csv(const ScoreSummary& summary) {
  Row header = {"category", "count"};
  for (std::string& name : score_columns()) header.push_back(std::move(name));
  std::string text = csv_line(header);
  for (const auto& [category, scores] : summary.by_category()) text += csv_line(csv_row(category, scores));
  return text + csv_line(csv_row("all", summary.all()));
}

std::vector<std::string> score_columns() {
  Row names;
  for (const char* side : {"vertices", "surface"}) {
    for (const MetricField& field : kMetricFields) names.push_back(fmt::format("{}_{}", side, field.name));
  }
  return names;
}

void append_scores(const Scores& scores, std::vector<std::string>& row) {
  for (const ShapeMetrics* metrics : {&scores.vertices, &scores.surface}) {
    for (const MetricField& field : kMetricFields) row.push_back(csv_number(metrics->*field.value));
  }
}

}  // namespace p2mpp
