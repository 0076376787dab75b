#include "cli/commands/metrics_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/table.h"
#include "cli/support/console.h"
#include "eval/score_summary.h"
#include "geometry/angles.h"
#include "p2mpp/metrics.h"

namespace p2mpp::cli {
namespace {
Json to_json(const Alignment& alignment) {
  const Similarity& similarity = alignment.target_from_source;
  Json rotation = Json::array();
  for (int row = 0; row < 3; ++row) {
    rotation.push_back({similarity.rotation(row, 0), similarity.rotation(row, 1), similarity.rotation(row, 2)});
  }
  return {{"scale", similarity.scale},
          {"rotation", rotation},
          {"translation", {similarity.translation.x(), similarity.translation.y(), similarity.translation.z()}},
          {"root_mean_square", alignment.root_mean_square}};
}

std::string alignment_line(const Alignment& alignment) {
  const Similarity& similarity = alignment.target_from_source;
  const double cosine = std::clamp((similarity.rotation.trace() - 1) / 2, -1.0, 1.0);
  return fmt::format(
      "aligned: the prediction scaled by {:.4g}, turned by {:.2f} degrees, moved by ({:.4g}, {:.4g}, {:.4g})\n",
      similarity.scale, std::acos(cosine) * kDegreesPerRadian, similarity.translation.x(), similarity.translation.y(),
      similarity.translation.z());
}

Json pair_document(const ComparedFiles& files, const ComparedPair& pair) {
  Json document = {{"predicted", files.predicted.string()}, {"truth", files.truth.string()}, {"tau", kTau}};
  document["warnings"] = Json::array();
  if (!pair.warnings.empty()) document["warnings"] = pair.warnings;
  if (pair.alignment) document["alignment"] = to_json(*pair.alignment);
  return document;
}

struct ScoredSide {
  const char* name;
  const ShapeMetrics& metrics;
  std::size_t predicted_points, truth_points;
};

Json side_json(const ScoredSide& side) {
  Json json = {{"predicted_points", side.predicted_points}, {"truth_points", side.truth_points}};
  json.update(to_json(side.metrics));
  json["chamfer_distance_x1000"] = 1000 * side.metrics.chamfer_distance;
  return json;
}

std::vector<std::string> row(const ScoredSide& side) {
  return {side.name,
          std::to_string(side.predicted_points),
          std::to_string(side.truth_points),
          fmt::format("{:.9f}", side.metrics.chamfer_distance),
          fixed_cell(1000 * side.metrics.chamfer_distance, 3),
          fixed_cell(side.metrics.f1_tau, 2),
          fixed_cell(side.metrics.f1_2tau, 2),
          fixed_cell(side.metrics.hausdorff_90, 4),
          fixed_cell(side.metrics.normal_consistency, 3)};
}

void print_document(const ComparedFiles& files, const ComparedPair& pair, std::size_t sampled,
                    const ScoredSide& vertices, const ScoredSide* surface) {
  Json document = pair_document(files, pair);
  if (sampled > 0) document["sampled"] = sampled;
  document["vertices"] = side_json(vertices);
  document["surface"] = surface != nullptr ? side_json(*surface) : Json(nullptr);
  print_json(document);
}

void print_table(const ComparedPair& pair, std::size_t sampled, const ScoredSide& vertices, const ScoredSide* surface) {
  if (pair.alignment) print(alignment_line(*pair.alignment));
  TableCells rows = {{"points", "predicted", "truth", "CD", "CD x1000", "F1@tau", "F1@2tau", "Hausdorff 90", "normals"},
                     row(vertices)};
  if (surface != nullptr) rows.push_back(row(*surface));
  print(format_table(rows));
  if (sampled > 0) {
    print(fmt::format(
        "estimated: {} points of each side, chosen at random, compared with all points of the other side\n", sampled));
  }
  print(score_legend());
}

struct NamedInterval {
  const char* name;
  Interval MetricBounds::*interval;
};
constexpr std::array kIntervals = {
    NamedInterval{"chamfer_distance", &MetricBounds::chamfer_distance},
    NamedInterval{"f1_tau", &MetricBounds::f1_tau},
    NamedInterval{"f1_2tau", &MetricBounds::f1_2tau},
    NamedInterval{"hausdorff_90", &MetricBounds::hausdorff_90},
};

void print_bounds_document(const ComparedFiles& files, const ComparedPair& pair, const MetricBounds& bounds) {
  Json document = pair_document(files, pair);
  document["bounds"] = {{"predicted_points", pair.predicted.vertices.size()},
                        {"truth_points", pair.truth.vertices.size()},
                        {"predicted_cells", bounds.predicted_cells},
                        {"truth_cells", bounds.truth_cells}};
  for (const NamedInterval& each : kIntervals) {
    const Interval& interval = bounds.*each.interval;
    document["bounds"][each.name] = {interval.low, interval.high};
  }
  print_json(document);
}

void print_bounds_table(const ComparedPair& pair, const MetricBounds& bounds) {
  if (pair.alignment) print(alignment_line(*pair.alignment));
  TableCells rows = {{"bounds on vertices", "at least", "at most"}};
  for (const NamedInterval& each : kIntervals) {
    const Interval& interval = bounds.*each.interval;
    rows.push_back({each.name, fmt::format("{:.6g}", interval.low), fmt::format("{:.6g}", interval.high)});
  }
  print(format_table(rows));
  print(fmt::format("computed from cells: {} of {} predicted and {} of {} true points used\n", bounds.predicted_cells,
                    pair.predicted.vertices.size(), bounds.truth_cells, pair.truth.vertices.size()));
}

}  // namespace

void print_scores(const ComparedFiles& files, const ComparedPair& pair, const Scores& scores, std::size_t sampled) {
  const ScoredSide vertices{"vertices", scores.vertices, pair.predicted.vertices.size(), pair.truth.vertices.size()};
  const ScoredSide surface{"surface samples", scores.surface, kSurfacePoints,
                           pair.truth.triangles.empty() ? pair.truth.vertices.size() : kSurfacePoints};
  const ScoredSide* sampled_surface = is_defined(scores.surface) ? &surface : nullptr;
  if (files.json) {
    print_document(files, pair, sampled, vertices, sampled_surface);
  } else {
    print_table(pair, sampled, vertices, sampled_surface);
  }
}

void print_bounds(const ComparedFiles& files, const ComparedPair& pair, const MetricBounds& bounds) {
  if (files.json) {
    print_bounds_document(files, pair, bounds);
  } else {
    print_bounds_table(pair, bounds);
  }
}

}  // namespace p2mpp::cli
