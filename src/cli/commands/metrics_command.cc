#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "base/input_file.h"
#include "base/json_text.h"
#include "base/machine/device_choice.h"
#include "base/table.h"
#include "capture/open_sample.h"
#include "cli/commands/metrics_report.h"
#include "cli/support/command.h"
#include "cli/support/console.h"
#include "cli/support/declared_options.h"
#include "cli/support/settings.h"
#include "cli/support/shared_options.h"
#include "engine/computation.h"
#include "eval/score_summary.h"
#include "eval/scored_predictions.h"
#include "io/mesh/mesh_file.h"
#include "p2mpp/device.h"
#include "p2mpp/error.h"
#include "p2mpp/metrics.h"

namespace p2mpp::cli {
namespace {
/// The options of `p2mpp metrics`.
struct MetricsOptions {
  std::filesystem::path predicted, truth;  ///< two files or two folders
  ComparisonOptions comparison;
  PairPlacement placement;
  MeshFrame truth_frame = MeshFrame::kCamera0;
  std::string align = "none";
  std::filesystem::path sample;  ///< folder whose first camera the predictions are in the frame of; empty: none
  double bounds_percent = 0;     ///< 0: exact figures
  std::filesystem::path list;    ///< of ids; empty: every prediction in the folder
  std::filesystem::path out;     ///< a folder for tables; empty: none
  bool json = false;

  [[nodiscard]] ComparedFiles files() const { return {predicted, truth, json}; }

  template <typename Visit>
  void visit_options(Visit&& visit);
};

template <typename Visit>
void MetricsOptions::visit_options(Visit&& visit) {
  constexpr long long kMostSampled = 1'000'000'000, kMaxSeed = 2'147'483'647;
  constexpr double kSmallest = 1e-9, kLargest = 1e9;
  visit(predicted,
        {"PRED",
         "Prediction: .obj, .ply, .glb, .gltf, .stl, .off or .xyz; or a folder of files {id}_predict in these formats",
         "FILE", file_name()},
        {.required = true});
  visit(truth,
        {"TRUTH",
         "Ground truth in the same frame: one of these formats or .dat (a pickle of arrays); or a folder of files "
         "named as for eval --truth-root",
         "FILE", file_name()},
        {.required = true});
  const auto add_frame = in_group("Frames", visit);
  add_frame(placement.truth_scale,
            {"--truth-scale", "Multiply the truth's coordinates first; ShapeNet's own models and points need 0.57", "X",
             number(kSmallest, kLargest)});
  add_frame(truth_frame,
            {"--truth-frame", "Frame of the truth: camera0 as the prediction (default), or world, which needs --sample",
             "", one_of({"camera0", "world"})},
            {.standard = ""});
  add_frame(sample,
            {"--sample", "The sample's folder as for predict, whose first camera is camera0", "FOLDER", file_name()},
            {.configurable = false});
  add_frame(
      align,
      {"--align",
       "Move the prediction onto the truth first: none (default), or the best similarity near the given placement", "",
       one_of({"none", "similarity"})},
      {.standard = ""});
  const auto add_cloud = in_group("Clouds of many millions of points", visit);
  add_cloud(comparison.sampled,
            {"--sampled", "Estimate the metrics from N random points of each side instead of all", "N",
             whole_number(1, kMostSampled)},
            {.standard = ""});
  add_cloud(comparison.seed, {"--seed", "Seed of the random points of --sampled", "N", whole_number(0, kMaxSeed)});
  add_cloud(bounds_percent,
            {"--bounds",
             "Compute bounds instead of exact values, by grouping points into ever smaller cells until CD and the "
             "Hausdorff distance are known to PERCENT of their value and F1 to PERCENT points",
             "PERCENT", number(0.001, 100)},
            {.standard = "", .excludes = "--sampled"});
  const auto add_folder = in_group("Folders", visit);
  add_folder(list, {"--list", "Ids to score, as `eval` reads them (default: all predictions)", "FILE", file_name()});
  add_folder(out, {"-o,--out", "Folder for results.csv, categories.csv and summary.json", "FOLDER", file_name()});
}

// Two files

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

// Reads both files and brings them into one frame. Warnings are logged.
ComparedPair read_pair(const MetricsOptions& options) {
  TriangleMesh predicted = read_mesh_and_log_notes(options.predicted).mesh;
  TriangleMesh truth = read_mesh_and_log_notes(options.truth).mesh;
  ComparedPair pair = align_pair(std::move(predicted), std::move(truth), options.placement, options.comparison.threads);
  for (const std::string& warning : pair.warnings) {
    spdlog::warn("{} against {}: {}", options.predicted.string(), options.truth.string(), warning);
  }
  return pair;
}

void compare_files(const MetricsOptions& options) {
  const ComparedPair pair = named(options, [&] { return read_pair(options); });
  const Scores scores = named(options, [&] { return score_mesh(pair.predicted, pair.truth, options.comparison); });
  print_scores(options.files(), pair, scores, options.comparison.sampled);
}

void bound_files(const MetricsOptions& options) {
  const ComparedPair pair = named(options, [&] { return read_pair(options); });
  print_bounds(options.files(), pair, named(options, [&] {
                 return bound_shapes(
                     pair.predicted.vertices, pair.truth.vertices,
                     {.tolerance = options.bounds_percent / 100, .threads = options.comparison.threads});
               }));
}

// Two folders

Json folder_document(const MetricsOptions& options, std::span<const ScoredPrediction> predictions,
                     const ScoreSummary& summary) {
  Json failures = Json::array();
  Json warnings = Json::array();
  for (const ScoredPrediction& each : predictions) {
    if (!each.problem.empty()) failures.push_back({{"id", each.id}, {"reason", each.problem}});
    if (!each.warning.empty()) warnings.push_back({{"id", each.id}, {"reason", each.warning}});
  }
  return {{"predicted", options.predicted.string()},
          {"truth", options.truth.string()},
          {"samples", {{"listed", predictions.size()}, {"scored", predictions.size() - failures.size()}}},
          {"metrics", to_json(summary)},
          {"failures", failures},
          {"warnings", warnings}};
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
  FoldedLog failures(FoldedLog::Severity::kError), warnings(FoldedLog::Severity::kWarning);
  const auto predictions = score_predictions(options.predicted, options.truth, entries, options.placement,
                                             options.comparison, [&](const ScoredPrediction& result) {
                                               if (!result.warning.empty()) warnings.add(result.id, result.warning);
                                               if (result.problem.empty()) return;
                                               ++failed;
                                               failures.add(result.id, result.problem);
                                             });
  warnings.finish();
  failures.finish();
  const ScoreSummary summary = summarize(predictions);
  const Json document = folder_document(options, predictions, summary);
  if (!options.out.empty()) write_tables(options, predictions, summary, document);
  if (options.json) {
    print_json(document);
  } else {
    print(fmt::format("{} of {} predictions scored\n\n", predictions.size() - failed, predictions.size()));
    print(format_table(score_table(summary)));
    print(score_legend());
  }
  return exit_code_after(failed, predictions.size());
}

// The command

// The camera in whose frame `predict` writes the sample's mesh.
Camera first_camera(const std::filesystem::path& folder, const Settings& settings) {
  const ModelInfo model = read_model_info(resolve_engine_options(settings).model);
  return network_frame(open_sample(folder, folder_request(settings, view_indices(settings, model))).sample);
}

ExitCode run_metrics(MetricsOptions options, const Settings& settings) {
  options.json = settings.json;
  options.placement.align = options.align == "similarity";
  options.comparison.threads = settings.engine.threads > 0 ? settings.engine.threads : physical_core_count();
  // Starting a GPU takes longer than most searches, so it is used only if --device is given.
  if (settings.engine.device != "auto") {
    options.comparison.find_neighbours = neighbour_finder(choose_device(settings.engine.device).device);
  }
  const bool folders = is_folder(options.predicted);
  if (folders && !options.sample.empty()) throw UsageError("--sample: not with folders; expected two files");
  if ((options.truth_frame == MeshFrame::kWorld) == options.sample.empty()) {
    throw UsageError("--truth-frame world and --sample: expected both or neither");
  }
  if (!options.sample.empty()) options.placement.truth_camera = first_camera(options.sample, settings);
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

}  // namespace

void add_metrics_command(CLI::App& app, const Settings& settings, ExitCode& exit_code) {
  const auto options = std::make_shared<MetricsOptions>();
  CLI::App* command = app.add_subcommand("metrics", "Compare meshes or points with ground truth");
  add_options(*command, *options);
  command->footer(
      R"(Computes Chamfer distance (CD) and F1 as published by Pixel2Mesh++, the Hausdorff distance of 90% of the
points, and normal consistency. Computes them on the vertices and, if the prediction has triangles, on points sampled
uniformly on the surface. Nearest neighbours are exact. Normals are those of the triangles, or columns 4 to 6 of a
point file. Both shapes must be in one frame and unit. A warning says if they probably are not.

For folders, prints means by category. If a prediction cannot be scored, its id and the reason are printed, and the
others continue. The exit code is then 4.

Examples:
  p2mpp metrics out/shape_predict.obj data/shape_ground.xyz
  p2mpp metrics out/shape_predict.obj data/shape.dat --json
  p2mpp metrics results data --list data/test_list.txt --out scores
  p2mpp metrics a_predict.obj a.xyz --truth-scale 0.57 --truth-frame world --sample a
  p2mpp metrics scan.ply model.ply --align similarity
  p2mpp metrics scan.ply model.ply --bounds 5)");
  command->callback([options, &settings, &exit_code] { exit_code = run_metrics(*options, settings); });
}

}  // namespace p2mpp::cli
