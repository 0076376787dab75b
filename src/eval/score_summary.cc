#include "eval/score_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/json_text.h"

namespace p2mpp {
namespace {

// The categories of ShapeNetCore, in order of their synsets, and that of objects without one.
constexpr std::array<std::pair<std::string_view, std::string_view>, 56> kNames = {{
    {"00000000", "other"},
    {"02691156", "aeroplane"},
    {"02747177", "bin"},
    {"02773838", "bag"},
    {"02801938", "basket"},
    {"02808440", "bathtub"},
    {"02818832", "bed"},
    {"02828884", "bench"},
    {"02843684", "birdhouse"},
    {"02871439", "bookshelf"},
    {"02876657", "bottle"},
    {"02880940", "bowl"},
    {"02924116", "bus"},
    {"02933112", "cabinet"},
    {"02942699", "camera"},
    {"02946921", "can"},
    {"02954340", "cap"},
    {"02958343", "car"},
    {"02992529", "mobile phone"},
    {"03001627", "chair"},
    {"03046257", "clock"},
    {"03085013", "keyboard"},
    {"03207941", "dishwasher"},
    {"03211117", "monitor"},
    {"03261776", "earphone"},
    {"03325088", "tap"},
    {"03337140", "file cabinet"},
    {"03467517", "guitar"},
    {"03513137", "helmet"},
    {"03593526", "jar"},
    {"03624134", "knife"},
    {"03636649", "lamp"},
    {"03642806", "laptop"},
    {"03691459", "loudspeaker"},
    {"03710193", "mailbox"},
    {"03759954", "microphone"},
    {"03761084", "microwave oven"},
    {"03790512", "motorbike"},
    {"03797390", "mug"},
    {"03928116", "piano"},
    {"03938244", "pillow"},
    {"03948459", "pistol"},
    {"03991062", "flowerpot"},
    {"04004475", "printer"},
    {"04074963", "remote control"},
    {"04090263", "rifle"},
    {"04099429", "rocket"},
    {"04225987", "skateboard"},
    {"04256520", "sofa"},
    {"04330267", "stove"},
    {"04379243", "table"},
    {"04401088", "telephone"},
    {"04460130", "tower"},
    {"04468005", "train"},
    {"04530566", "boat"},
    {"04554684", "washing machine"},
}};
static_assert(std::ranges::is_sorted(kNames, {}, [](const auto& each) { return each.first; }));

}  // namespace

std::string category_name(std::string_view category) {
  const auto found = std::ranges::lower_bound(kNames, category, {}, [](const auto& each) { return each.first; });
  return std::string(found != kNames.end() && found->first == category ? found->second : category);
}

namespace {

// A kind of metrics, with its names in files and in tables.
struct ComparedSide {
  const char* name;
  std::string title;
  ShapeMetrics Scores::*metrics;
};

const std::array<ComparedSide, 3>& sides() {
  static const std::array<ComparedSide, 3> all = {
      ComparedSide{"vertices", "vertices", &Scores::vertices},
      ComparedSide{"surface", fmt::format("surface ({} points)", kSurfacePoints), &Scores::surface},
      ComparedSide{"coarse", "vertices after stage 1", &Scores::coarse}};
  return all;
}

void add_to(MeanScores& sum, const Scores& scores) {
  const bool is_first = sum.count++ == 0;
  for (const ComparedSide& side : sides()) {
    for (const MetricField& field : kMetricFields) {
      const double value = (scores.*side.metrics).*field.value;
      double& total = (sum.mean.*side.metrics).*field.value;
      total = is_first ? value : total + value;
    }
  }
}

MeanScores divided(MeanScores sum) {
  if (sum.count == 0) return sum;
  for (const ComparedSide& side : sides()) {
    for (const MetricField& field : kMetricFields) {
      (sum.mean.*side.metrics).*field.value /= static_cast<double>(sum.count);
    }
  }
  return sum;
}

Json mean_json(const MeanScores& scores) {
  Json json = {{"count", scores.count}};
  for (const ComparedSide& side : sides()) {
    const ShapeMetrics& metrics = scores.mean.*side.metrics;
    json[side.name] = is_defined(metrics) ? to_json(metrics) : Json(nullptr);
  }
  return json;
}

TableRow table_row(std::string name, std::size_t count, const ShapeMetrics& metrics) {
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

void append_rows(const ScoreSummary& summary, const ComparedSide& side, TableCells& rows) {
  const MeanScores all = summary.all();
  rows.push_back(table_row(side.title, all.count, all.mean.*side.metrics));
  for (const auto& [category, scores] : summary.by_category()) {
    rows.push_back(table_row("  " + category_name(category), scores.count, scores.mean.*side.metrics));
  }
}

TableRow csv_row(const std::string& category, const MeanScores& scores) {
  TableRow row = {category, std::to_string(scores.count)};
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
  const Scores mean = summary.all().mean;
  for (const ComparedSide& side : sides()) {
    if (is_defined(mean.*side.metrics)) append_rows(summary, side, rows);
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
  TableRow header = {"category", "count"};
  for (std::string& name : score_columns()) header.push_back(std::move(name));
  std::string text = csv_line(header);
  for (const auto& [category, scores] : summary.by_category()) text += csv_line(csv_row(category, scores));
  return text + csv_line(csv_row("all", summary.all()));
}

std::vector<std::string> score_columns() {
  TableRow names;
  for (const ComparedSide& side : sides()) {
    for (const MetricField& field : kMetricFields) names.push_back(fmt::format("{}_{}", side.name, field.name));
  }
  return names;
}

void append_scores(const Scores& scores, std::vector<std::string>& row) {
  for (const ComparedSide& side : sides()) {
    for (const MetricField& field : kMetricFields) row.push_back(csv_number((scores.*side.metrics).*field.value));
  }
}

}  // namespace p2mpp
