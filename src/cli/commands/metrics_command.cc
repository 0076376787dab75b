#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <array>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "base/json_text.h"
#include "base/table.h"
#include "cli/support/command.h"
#include "cli/support/console.h"
#include "cli/support/options.h"
#include "engine/neighbour_finder.h"
#include "eval/score_summary.h"
#include "eval/scored_predictions.h"
#include "geometry/metric_bounds.h"
#include "io/mesh/mesh_file.h"
#include "p2mpp/device.h"
#include "p2mpp/error.h"
#include "p2mpp/metrics.h"

namespace p2mpp::cli {
namespace {

using Json = nlohmann::ordered_json;

/// The options of `p2mpp metrics`.
struct MetricsOptions {
  std::filesystem::path predicted, truth;  ///< two files or two folders
  ComparisonOptions comparison;
  double bounds_percent = 0;   ///< 0: exact figures
  std::filesystem::path list;  ///< of ids; empty: every prediction in the folder
  std::filesystem::path out;   ///< a folder for tables; empty: none
  bool json = false;
};

// Two files

struct MetricsPair {
  TriangleMesh predicted, truth;
};

MetricsPair read_pair(const MetricsOptions& options) {
  return {read_mesh(options.predicted), read_mesh(options.truth)};
}

// An error in comparing both files names both.
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
    print(
        fmt::format("estimated: {} points of each side, chosen at random, compared with all points of the other side\n",
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

void print_bounds_document(const MetricsOptions& options, const MetricsPair& pair, const MetricBounds& bounds) {
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

void print_bounds_table(const MetricsPair& pair, const MetricBounds& bounds) {
  std::vector<std::vector<std::string>> rows = {{"bounds on vertices", "at least", "at most"}};
  for (const NamedInterval& each : kIntervals) {
    const Interval& interval = bounds.*each.interval;
    rows.push_back({each.name, fmt::format("{:.6g}", interval.low), fmt::format("{:.6g}", interval.high)});
  }
  print(format_table(rows));
  print(fmt::format("computed from cells: {} of {} predicted and {} of {} true points used\n", bounds.predicted_cells,
                    pair.predicted.vertices.size(), bounds.truth_cells, pair.truth.vertices.size()));
}

void compare_files(const MetricsOptions& options) {
  const MetricsPair pair = read_pair(options);
  const Scores scores = named(options, [&] { return score_mesh(pair.predicted, pair.truth, options.comparison); });
  const Side vertices{"vertices", scores.vertices, pair.predicted.vertices.size(), pair.truth.vertices.size()};
  const Side surface{"surface samples", scores.surface, kSurfacePoints,
                     pair.truth.triangles.empty() ? pair.truth.vertices.size() : kSurfacePoints};
  const auto print_result = options.json ? print_document : print_table;
  print_result(options, vertices, is_defined(scores.surface) ? &surface : nullptr);
}

void bound_files(const MetricsOptions& options) {
  const MetricsPair pair = read_pair(options);
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

// Two folders

Json document_of(const MetricsOptions& options, std::span<const ScoredPrediction> predictions,
                 const ScoreSummary& summary) {
  Json failures = Json::array();
  for (const ScoredPrediction& each : predictions) {
    if (!each.problem.empty()) failures.push_back({{"id", each.id}, {"reason", each.problem}});
  }
  return {{"predicted", options.predicted.string()},
          {"truth", options.truth.string()},
          {"samples", {{"listed", predictions.size()}, {"scored", predictions.size() - failures.size()}}},
          {"metrics", to_json(summary)},
          {"failures", failures}};
}

void write_tables(const MetricsOptions& options, std::span<const ScoredPrediction> predictions,
                  const ScoreSummary& summary, const Json& document) {
  write_file_atomically(options.out / "results.csv", predictions_csv(predictions));
  write_file_atomically(options.out / "categories.csv", categories_csv(summary));
  write_file_atomically(options.out / "summary.json", json_text(document));
  spdlog::info("wrote results.csv, categories.csv and summary.json in {}", options.out.string());
}

ExitCode compare_folders(const MetricsOptions& options) {
  const std::vector<ListEntry> entries =
      options.list.empty() ? list_predictions(options.predicted) : read_test_list(options.list);
  if (!options.out.empty()) prepare_output_folder(options.out);
  std::size_t failed = 0;
  const auto predictions = score_predictions(options.predicted, options.truth, entries, options.comparison,
                                             [&](const ScoredPrediction& result) {
                                               if (result.problem.empty()) return;
                                               ++failed;
                                               spdlog::error("{}: {}", result.id, result.problem);
                                             });
  const ScoreSummary summary = summarize(predictions);
  const Json document = document_of(options, predictions, summary);
  if (!options.out.empty()) write_tables(options, predictions, summary, document);
  if (options.json) {
    print_json(document);
  } else {
    print(fmt::format("{} of {} predictions scored\n\n", predictions.size() - failed, predictions.size()));
    print(format_table(score_table(summary)));
    print(score_legend());
  }
  return failed > 0 ? ExitCode::kSomeSamplesFailed : ExitCode::kDone;
}

// The command

constexpr long long kMostSampled = 1'000'000'000;
constexpr long long kMaxSeed = 2'147'483'647;

bool is_folder(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

ExitCode run_metrics(MetricsOptions options, const Settings& settings) {
  options.json = settings.json;
  options.comparison.threads = settings.engine.threads > 0 ? settings.engine.threads : physical_core_count();
  // Starting a GPU takes longer than most searches, so it is used only if --device is given.
  if (settings.engine.device != "auto") {
    options.comparison.find_neighbours = neighbour_finder(choose_device(settings.engine.device).device);
  }
  const bool folders = is_folder(options.predicted);
  if (folders != is_folder(options.truth)) {
    throw InputError(options.predicted.string() + " and " + options.truth.string() +
                     ": a file and a folder; expected two of a kind");
  }
  if (folders) {
    if (options.bounds_percent > 0) throw UsageError("--bounds: not with folders; expected two files");
    return compare_folders(options);
  }
  if (!options.list.empty()) throw UsageError("--list: not with files; expected two folders");
  if (!options.out.empty()) throw UsageError("--out: not with files; expected two folders");
  if (options.bounds_percent > 0) {
    bound_files(options);
  } else {
    compare_files(options);
  }
  return ExitCode::kDone;
}

void add_large_cloud_options(CLI::App& command, MetricsOptions& options) {
  constexpr const char* kGroup = "Clouds of many millions of points";
  auto* sampled = command
                      .add_option("--sampled", options.comparison.sampled,
                                  "Estimate the metrics from N random points of each side instead of all")
                      ->type_name("N")
                      ->check(whole_number(1, kMostSampled))
                      ->group(kGroup);
  command.add_option("--seed", options.comparison.seed, "Seed of the random points of --sampled")
      ->type_name("N")
      ->check(whole_number(0, kMaxSeed))
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option("--bounds", options.bounds_percent,
                  "Compute bounds instead of exact values, by grouping points into ever smaller cells until CD and the "
                  "Hausdorff distance are known to PERCENT of their value and F1 to PERCENT points")
      ->type_name("PERCENT")
      ->check(number(0.001, 100))
      ->excludes(sampled)
      ->group(kGroup);
}

void add_folder_options(CLI::App& command, MetricsOptions& options) {
  constexpr const char* kGroup = "Folders";
  command.add_option("--list", options.list, "Ids to score, as `eval` reads them (default: all predictions)")
      ->type_name("FILE")
      ->check(file_name())
      ->group(kGroup);
  command.add_option("-o,--out", options.out, "Folder for results.csv, categories.csv and summary.json")
      ->type_name("FOLDER")
      ->check(file_name())
      ->group(kGroup);
}

}  // namespace

void add_metrics_command(CLI::App& app, const Settings& settings, ExitCode& exit_code) {
  const auto options = std::make_shared<MetricsOptions>();
  CLI::App* command = app.add_subcommand("metrics", "Compare meshes or points with ground truth");
  command
      ->add_option("PRED", options->predicted,
                   "Prediction: .obj, .ply, .glb, .stl or .xyz; or a folder of files {id}_predict in these formats")
      ->type_name("FILE")
      ->check(file_name())
      ->required();
  command
      ->add_option(
          "TRUTH", options->truth,
          "Ground truth in the same frame: one of these formats or .dat (a pickle of arrays); or a folder of files "
          "named as for eval --truth-root")
      ->type_name("FILE")
      ->check(file_name())
      ->required();
  add_large_cloud_options(*command, *options);
  add_folder_options(*command, *options);
  command->footer(
      R"(Computes Chamfer distance (CD) and F1 as published by Pixel2Mesh++, the Hausdorff distance of 90% of the
points, and normal consistency: on the vertices and, if the prediction has triangles, on points sampled uniformly on
the surface. Nearest neighbours are exact. Normals are those of the triangles, or columns 4 to 6 of a point file. For
folders, prints means by category; if a prediction cannot be scored, its id and the reason are printed, the others
continue, and the exit code is 4.

Examples:
  p2mpp metrics out/shape_predict.obj data/shape_ground.xyz
  p2mpp metrics out/shape_predict.obj data/shape.dat --json
  p2mpp metrics results data --list data/test_list.txt --out scores
  p2mpp metrics scan.ply model.ply --bounds 5)");
  command->callback([options, &settings, &exit_code] { exit_code = run_metrics(*options, settings); });
}

}  // namespace p2mpp::cli
