#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/atomic_file.h"
#include "base/json_text.h"
#include "base/table.h"
#include "cameras/read_capture.h"
#include "capture/open_sample.h"
#include "check/sample_check.h"
#include "check/sample_silhouettes.h"
#include "cli/support/command.h"
#include "cli/support/console.h"
#include "cli/support/declared_options.h"
#include "cli/support/progress.h"
#include "cli/support/settings.h"
#include "eval/camera_trials.h"
#include "image/viewpoint.h"
#include "p2mpp/error.h"
#include "report/sample_pictures.h"
#include "results/run_options.h"

namespace p2mpp::cli {
namespace {
struct CheckOptions {
  std::filesystem::path sample, out;
  PreparationOptions capture;
  bool strict = false;
  bool network = true;

  template <typename Visit>
  void visit_options(Visit&& visit) {
    visit(sample, {"SAMPLE", "A sample's folder or a capture, as for predict", "PATH", file_name()},
          {.required = true});
    capture.visit_options(visit);
    visit(strict, strict_option());
    visit(network, {"--no-network", "Compare the silhouettes only", "", {}, "Sample"}, {.sets = "false"});
    visit(out, {"-o,--out", "Folder for {id}_overlay.png: the mesh over each view", "FOLDER", file_name(), "Result"});
  }
};

struct ReadSample {
  Sample sample;
  std::optional<CaptureReport> report;  ///< of a capture
};

std::string view_table(const Sample& sample) {
  TableCells rows = {{"image", "azimuth", "elevation", "distance", "focal length"}};
  for (std::size_t i = 0; i < sample.views.size(); ++i) {
    const Viewpoint from = find_viewpoint(sample.views[i]);
    rows.push_back({view_label(sample, i), fmt::format("{:.1f}", from.azimuth_deg),
                    fmt::format("{:.1f}", from.elevation_deg), fmt::format("{:.3f}", from.distance),
                    fmt::format("{:.0f}", sample.views[i].camera.intrinsics.fy)});
  }
  return format_table(rows);
}

std::string trial_table(const std::vector<CameraTrial>& trials) {
  TableCells rows = {{"cameras", "IoU", "against given"}};
  for (const CameraTrial& trial : trials) {
    rows.push_back({trial.name, fmt::format("{:.3f}", trial.mean_iou()),
                    fmt::format("{:+.3f}", trial.mean_iou() - trials.front().mean_iou())});
  }
  return format_table(rows);
}

Json trials_json(const std::vector<CameraTrial>& trials) {
  Json json = Json::array();
  for (const CameraTrial& trial : trials) {
    Json views = Json::array();
    for (const ViewOverlap& overlap : trial.overlaps) views.push_back(overlap.iou);
    json.push_back({{"cameras", trial.name}, {"iou", trial.mean_iou()}, {"views", views}});
  }
  return json;
}

ReadSample read_sample(const CheckOptions& options, const Settings& settings, const ModelInfo& model, Json& document) {
  OpenedSample opened =
      open_with_bar(options.sample, sample_request(settings, view_indices(settings, model), options.capture), settings);
  if (opened.report) {
    document["capture"] = capture_json(*opened.report);
    if (!settings.json) {
      for (const std::string& line : capture_lines(*opened.report)) print(line + "\n");
    }
  }
  return {std::move(opened.sample), std::move(opened.report)};
}

// Runs the network, prints how well it fits, and returns its verdict.
CameraVerdict check_with_network(const CheckOptions& options, const Settings& settings, const ReadSample& read,
                                 Json& document) {
  const Sample& sample = read.sample;
  Engine engine = open_engine(resolve_engine_options(settings));
  const bool on_terminal = progress_style(settings) == ProgressStyle::kBar;
  std::optional<ProgressBar> progress;
  const std::vector<CameraTrial> trials =
      try_cameras(engine, read.sample, read.report ? &*read.report : nullptr, [&](std::size_t done, std::size_t all) {
        if (!progress) progress.emplace("cameras", all, on_terminal ? ProgressStyle::kBar : ProgressStyle::kNone);
        progress->update(done, 0);
      });
  document["trials"] = trials_json(trials);
  const TrainedViews& trained = engine.model().trained_views;
  document["typical_iou"] = trained.typical_iou ? Json(*trained.typical_iou) : Json(nullptr);
  if (!settings.json) {
    print("\n" + trial_table(trials));
    if (are_cameras_proven(read.report ? &*read.report : nullptr))
      print("changed cameras are not tried: the masks agree with these\n");
  }
  if (!options.out.empty()) {
    prepare_output_folder(options.out);
    const std::vector<ReconstructionResult> results = engine.reconstruct(std::span(&sample, 1));
    TriangleMesh mesh = in_frame(engine.mesh(sample, results.front().reconstruction), sample, Frame::kWorld);
    SampleMeshes meshes{.surfaces = {{"refined", std::move(mesh)}}, .truth = {}, .facts = {}};
    SamplePictureOptions overlay_only;
    overlay_only.overlay = true;
    const SamplePictures pictures =
        write_sample_pictures(overlay_only, options.out, sample.id, sample, std::move(meshes), engine.threads());
    warn_of_hint(sample.id, pictures.hint);
    document["overlay"] = pictures.overlay->string();
    if (!settings.json) print(picture_lines(pictures));
  }
  CameraVerdict found = verdict(trials, trained);
  if (!settings.json && !found.typical.empty()) print(found.typical + "\n");
  return found;
}

ExitCode run_check(const CheckOptions& options, const Settings& settings) {
  Json document;
  const ModelInfo model = read_model_info(resolve_engine_options(settings).model);
  const ReadSample read = read_sample(options, settings, model, document);
  const Sample& sample = read.sample;
  const std::vector<SampleWarning> warnings = check_sample(sample, model.trained_views);
  const std::optional<double> disagreement = silhouette_disagreement(sample, view_cameras(sample));
  document["silhouette_disagreement"] = disagreement ? Json(*disagreement) : Json(nullptr);
  document["warnings"] = to_json(warnings);
  if (!settings.json) {
    print(view_table(sample));
    if (disagreement)
      print(fmt::format("silhouettes: {:.1f}% of one is outside what all views allow\n", 100 * *disagreement));
  }
  for (const SampleWarning& warning : warnings) spdlog::warn("{}: {}", sample.id, warning.message);

  CameraVerdict found;
  if (options.network) found = check_with_network(options, settings, read, document);
  if (!found.warning.empty()) spdlog::warn("{}: {}", sample.id, found.warning);
  document["verdict"] = found.warning;
  const std::vector<std::string> words = read.report ? read_words(read.report->capture) : std::vector<std::string>();
  if (!words.empty()) document["read"] = words;
  const bool suspicious = !warnings.empty() || !found.warning.empty();
  if (settings.json) {
    print_json(document);
  } else if (!suspicious && !found.is_low) {
    print("nothing suspicious was found\n");
  }
  for (const std::string& line : words) {
    if (!settings.json) print(line + "\n");
  }
  return suspicious && options.strict ? ExitCode::kBadInput : ExitCode::kDone;
}

}  // namespace

void add_check_command(CLI::App& app, const Settings& settings, ExitCode& exit_code) {
  const auto options = std::make_shared<CheckOptions>();
  CLI::App* command = app.add_subcommand("check", "Say what is wrong with a sample's images and cameras");
  add_options(*command, *options);
  command->footer(
      R"(First checks without the network that the object is separate from the background, that the cameras are like
those of the training, and that the silhouettes agree with the cameras. Then runs the network with the given cameras
and with changed ones (mirrored, exchanged, elevations and azimuths off by 10 degrees, distances off by 10%). Compares
the silhouettes of the meshes with those of the images (IoU, 1 is best). The given cameras are wrong if changed ones
fit better. If the masks of 20 or more photographs agree with their cameras, changed ones are not tried. With
--strict, the exit code is 3 if something is suspicious.

Examples:
  p2mpp check data/02691156/p2mpp0001
  p2mpp check capture --masks capture/masks --out check)");
  command->callback([options, &settings, &exit_code] { exit_code = run_check(*options, settings); });
}

}  // namespace p2mpp::cli
