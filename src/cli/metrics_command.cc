#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/options.h"
#include "cli/table.h"
#include "eval/scoring.h"
#include "io/mesh_file.h"
#include "p2mpp/error.h"

namespace p2mpp::cli {
namespace {

using Json = nlohmann::ordered_json;

struct MetricsOptions {
  std::filesystem::path predicted;
  std::filesystem::path truth;
};

// The surface's figures only where the prediction has triangles.
struct Comparison {
  TriangleMesh predicted;
  TriangleMesh truth;
  ShapeMetrics vertices;
  std::optional<ShapeMetrics> surface;
};

void score(Comparison& comparison) {
  if (comparison.predicted.triangles.empty()) {
    comparison.vertices = compare_shapes(comparison.predicted.vertices, comparison.truth.vertices);
    return;
  }
  const Scores scores = score_mesh(comparison.predicted, comparison.truth);
  comparison.vertices = scores.vertices;
  comparison.surface = scores.surface;
}

Comparison compare(const MetricsOptions& options) {
  Comparison result{read_mesh(options.predicted), read_mesh(options.truth), {}, {}};
  try {
    score(result);
  } catch (const InputError& error) {
    throw InputError(
        fmt::format("{} against {}: {}", options.predicted.string(), options.truth.string(), error.what()));
  }
  return result;
}

Json to_json(const ShapeMetrics& metrics, std::size_t predicted_points, std::size_t truth_points) {
  Json json = {{"predicted_points", predicted_points}, {"truth_points", truth_points}};
  for (const MetricField& field : kMetricFields) json[field.name] = metrics.*field.value;
  json["chamfer_distance_x1000"] = 1000 * metrics.chamfer_distance;
  return json;
}

std::size_t truth_surface_points(const Comparison& comparison) {
  return comparison.truth.triangles.empty() ? comparison.truth.vertices.size() : kSurfacePoints;
}

void print_document(const MetricsOptions& options, const Comparison& comparison) {
  Json document = {{"predicted", options.predicted.string()}, {"truth", options.truth.string()}, {"tau", kTau}};
  document["vertices"] =
      to_json(comparison.vertices, comparison.predicted.vertices.size(), comparison.truth.vertices.size());
  document["surface"] = comparison.surface
                            ? to_json(*comparison.surface, kSurfacePoints, truth_surface_points(comparison))
                            : Json(nullptr);
  print_json(document);
}

std::vector<std::string> row(const char* name, const ShapeMetrics& metrics, std::size_t predicted_points,
                             std::size_t truth_points) {
  return {name,
          std::to_string(predicted_points),
          std::to_string(truth_points),
          fmt::format("{:.9f}", metrics.chamfer_distance),
          fmt::format("{:.3f}", 1000 * metrics.chamfer_distance),
          fmt::format("{:.2f}", metrics.f1_tau),
          fmt::format("{:.2f}", metrics.f1_2tau)};
}

void print_table(const Comparison& comparison) {
  std::vector<std::vector<std::string>> rows = {
      {"points", "predicted", "truth", "CD", "CD x1000", "F1@tau", "F1@2tau"},
      row("vertices", comparison.vertices, comparison.predicted.vertices.size(), comparison.truth.vertices.size())};
  if (comparison.surface) {
    rows.push_back(row("surface samples", *comparison.surface, kSurfacePoints, truth_surface_points(comparison)));
  }
  print(format_table(rows));
  print(fmt::format("CD: mean squared distance, both ways; F1 in per cent at the squared distance tau = {:g}\n", kTau));
}

void run_metrics(const MetricsOptions& options, const Settings& settings) {
  const Comparison comparison = compare(options);
  if (settings.json) {
    print_document(options, comparison);
  } else {
    print_table(comparison);
  }
}

}  // namespace

void add_metrics_command(CLI::App& app, const Settings& settings, ExitCode& /*exit_code*/) {
  const auto options = std::make_shared<MetricsOptions>();
  CLI::App* command = app.add_subcommand("metrics", "Hold a mesh or points against ground truth");
  command->add_option("PRED", options->predicted, "What was predicted: .obj, .ply, .xyz")
      ->type_name("FILE")
      ->check(file_name())
      ->required();
  command
      ->add_option("TRUTH", options->truth,
                   "Ground truth in the same frame: .obj, .ply, .xyz, .dat (a pickle of arrays)")
      ->type_name("FILE")
      ->check(file_name())
      ->required();
  command->footer(R"(Chamfer distance (CD) and F1 as Pixel2Mesh++ publishes them, on the vertices, and on points sampled
evenly on the surface where the prediction has triangles.

Examples:
  p2mpp metrics out/shape_predict.obj data/shape_ground.xyz
  p2mpp metrics out/shape_predict.obj data/shape.dat --json)");
  command->callback([options, &settings] { run_metrics(*options, settings); });
}

}  // namespace p2mpp::cli
