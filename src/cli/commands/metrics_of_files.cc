#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "base/table.h"
#include "cli/commands/metrics_modes.h"
#include "cli/support/console.h"
#include "eval/score_summary.h"
#include "geometry/metric_bounds.h"
#include "io/mesh/mesh_file.h"
#include "p2mpp/error.h"

namespace p2mpp::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Pair {
  TriangleMesh predicted, truth;
};

Pair read_pair(const MetricsOptions& options) { return {read_mesh(options.predicted), read_mesh(options.truth)}; }

// Problems of both sides together name both files.
template <typename Compute>
auto named(const MetricsOptions& options, const Compute& compute) {
  try {
    return compute();
  } catch (const InputError& error) {
    throw InputError(
        fmt::format("{} against {}: {}", options.predicted.string(), options.truth.string(), error.what()));
  }
}

Json document_of(const MetricsOptions& options) {
  return {{"predicted", options.predicted.string()}, {"truth", options.truth.string()}, {"tau", kTau}};
}

struct Side {
  const char* name;
  const ShapeMetrics& metrics;
  std::size_t predicted_points, truth_points;
};

Json side_json(const Side& side) {
  Json json = {{"predicted_points", side.predicted_points}, {"truth_points", side.truth_points}};
  json.update(to_json(side.metrics));
  json["chamfer_distance_x1000"] = 1000 * side.metrics.chamfer_distance;
  return json;
}

std::vector<std::string> row(const Side& side) {
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

void print_document(const MetricsOptions& options, const Side& vertices, const Side* surface) {
  Json document = document_of(options);
  if (options.comparison.sampled > 0) document["sampled"] = options.comparison.sampled;
  document["vertices"] = side_json(vertices);
  document["surface"] = surface != nullptr ? side_json(*surface) : Json(nullptr);
  print_json(document);
}

void print_table(const MetricsOptions& options, const Side& vertices, const Side* surface) {
  std::vector<std::vector<std::string>> rows = {
      {"points", "predicted", "truth", "CD", "CD x1000", "F1@tau", "F1@2tau", "Hausdorff 90", "normals"},
      row(vertices)};
  if (surface != nullptr) rows.push_back(row(*surface));
  print(format_table(rows));
  if (options.comparison.sampled > 0) {
    print(fmt::format("estimated: {} points of each side, drawn at random, looked up in all of the other\n",
                      options.comparison.sampled));
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

void print_bounds_document(const MetricsOptions& options, const Pair& pair, const MetricBounds& bounds) {
  Json document = document_of(options);
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

void print_bounds_table(const Pair& pair, const MetricBounds& bounds) {
  std::vector<std::vector<std::string>> rows = {{"bounds on vertices", "at least", "at most"}};
  for (const NamedInterval& each : kIntervals) {
    const Interval& interval = bounds.*each.interval;
    rows.push_back({each.name, fmt::format("{:.6g}", interval.low), fmt::format("{:.6g}", interval.high)});
  }
  print(format_table(rows));
  print(fmt::format("{} of {} predicted and {} of {} true points stood for all\n", bounds.predicted_cells,
                    pair.predicted.vertices.size(), bounds.truth_cells, pair.truth.vertices.size()));
}

}  // namespace

void compare_files(const MetricsOptions& options) {
  const Pair pair = read_pair(options);
  const Scores scores = named(options, [&] { return score_mesh(pair.predicted, pair.truth, options.comparison); });
  const Side vertices{"vertices", scores.vertices, pair.predicted.vertices.size(), pair.truth.vertices.size()};
  const Side surface{"surface samples", scores.surface, kSurfacePoints,
                     pair.truth.triangles.empty() ? pair.truth.vertices.size() : kSurfacePoints};
  const auto print_result = options.json ? print_document : print_table;
  print_result(options, vertices, is_defined(scores.surface) ? &surface : nullptr);
}

void bound_files(const MetricsOptions& options) {
  const Pair pair = read_pair(options);
  const MetricBounds bounds = named(options, [&] {
    return bound_shapes(pair.predicted.vertices, pair.truth.vertices,
                        {.tolerance = options.bounds_percent / 100, .threads = options.comparison.threads});
  });
  if (options.json) {
    print_bounds_document(options, pair, bounds);
  } else {
    print_bounds_table(pair, bounds);
  }
}

}  // namespace p2mpp::cli
