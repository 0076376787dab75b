#include <memory>

#include "cli/commands/metrics_modes.h"
#include "cli/support/command.h"
#include "cli/support/options.h"
#include "engine/neighbour_finder.h"
#include "p2mpp/device.h"
#include "p2mpp/error.h"

namespace p2mpp::cli {
namespace {

constexpr long long kMostSampled = 1'000'000'000;
constexpr long long kMaxSeed = 2'147'483'647;

bool is_folder(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

ExitCode run_metrics(MetricsOptions options, const Settings& settings) {
  options.json = settings.json;
  options.comparison.threads = settings.engine.threads > 0 ? settings.engine.threads : physical_core_count();
  // To start a GPU takes longer than most searches: only where it is asked for.
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
                                  "Look up N points of each side, drawn at random, instead of all: an estimate")
                      ->type_name("N")
                      ->check(whole_number(1, kMostSampled))
                      ->group(kGroup);
  command.add_option("--seed", options.comparison.seed, "Of the draw")
      ->type_name("N")
      ->check(whole_number(0, kMaxSeed))
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option(
          "--bounds", options.bounds_percent,
          "Bounds instead of figures, from cells of points, coarse to fine, until CD and the Hausdorff distance "
          "are known to PERCENT of themselves and F1 to PERCENT points")
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
  CLI::App* command = app.add_subcommand("metrics", "Hold meshes or points against ground truth");
  command
      ->add_option("PRED", options->predicted,
                   "What was predicted: .obj, .ply, .glb, .stl, .xyz; or a folder of {id}_predict with one of these")
      ->type_name("FILE")
      ->check(file_name())
      ->required();
  command
      ->add_option("TRUTH", options->truth,
                   "Ground truth in the same frame: any of these, .dat (a pickle of arrays); or a folder of such, "
                   "named as for eval --truth-root")
      ->type_name("FILE")
      ->check(file_name())
      ->required();
  add_large_cloud_options(*command, *options);
  add_folder_options(*command, *options);
  command->footer(
      R"(Chamfer distance (CD) and F1 as Pixel2Mesh++ publishes them, the Hausdorff distance of 90% of the points, and
normal consistency; on the vertices, and on points sampled evenly on the surface where the prediction has
triangles. Nearest neighbours are exact. Normals are the triangles', or columns 4 to 6 of points.
Of folders, means by category. A prediction that cannot be scored is named, the others go on, and the exit
code is 4.

Examples:
  p2mpp metrics out/shape_predict.obj data/shape_ground.xyz
  p2mpp metrics out/shape_predict.obj data/shape.dat --json
  p2mpp metrics results data --list data/test_list.txt --out scores
  p2mpp metrics scan.ply model.ply --bounds 5)");
  command->callback([options, &settings, &exit_code] { exit_code = run_metrics(*options, settings); });
}

}  // namespace p2mpp::cli
