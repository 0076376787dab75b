#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/atomic_file.h"
#include "base/table.h"
#include "cameras/read_words.h"
#include "capture/open_sample.h"
#include "check/camera_hypotheses.h"
#include "check/sample_check.h"
#include "check/sample_silhouettes.h"
#include "cli/commands/check_verdict.h"
#include "cli/support/capture_options.h"
#include "cli/support/command.h"
#include "cli/support/console.h"
#include "cli/support/declared_options.h"
#include "cli/support/progress.h"
#include "cli/support/sample_pictures.h"
#include "cli/support/settings.h"
#include "image/viewpoint.h"
#include "io/sample_warning_json.h"
#include "p2mpp/error.h"
#include "pipeline/run_options.h"

namespace p2mpp::cli {
namespace {

using Json = nlohmann::ordered_json;

struct CheckOptions {
  std::filesystem::path sample, out;
  CaptureArguments capture;
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

Trial run_trial(Engine& engine, std::string name, const Sample& sample) {
  const std::vector<ReconstructionResult> results = engine.reconstruct(std::span(&sample, 1));
  if (!results.front().problem.empty()) throw InputError(fmt::format("{}: {}", sample.id, results.front().problem));
  const TriangleMesh mesh = in_frame(engine.mesh(sample, results.front().reconstruction), sample, Frame::kWorld);
  return {std::move(name), overlay(mesh, sample, static_cast<int>(kImageSize)).overlaps};
}

// Cameras that the silhouettes of the views contradict much more than the given ones. The masks of a capture are those
// of photographs, so that no network is needed to refute such cameras.
bool is_refuted(const Sample& sample, const std::vector<Camera>& cameras, double given) {
  constexpr double kMuchWorse = 0.03;  // of a silhouette
  const std::optional<double> other = silhouette_disagreement(sample, cameras);
  return other && *other > given + kMuchWorse;
}

struct ReadSample {
  Sample sample;
  std::optional<CaptureReport> report;  ///< of a capture
};

// Whether the masks of so many photographs agree with the cameras that the network cannot say more about them.
bool are_proven(const std::optional<CaptureReport>& report) {
  constexpr std::ptrdiff_t kEnough = 20;
  constexpr double kAgrees = 0.01;
  return report && std::ranges::count_if(report->photographs, [](const PhotographReport& each) {
                     return !each.why_unused && !each.contradicts && each.fit.unexplained < kAgrees;
                   }) >= std::max(kEnough, std::ssize(report->photographs) * 9 / 10);
}

// Those that the silhouettes of the views allow.
std::vector<CameraHypothesis> hypotheses_of(const ReadSample& read) {
  if (are_proven(read.report)) return {};
  const Sample& sample = read.sample;
  std::vector<CameraHypothesis> hypotheses = order_hypotheses(sample);
  for (CameraHypothesis& hypothesis : number_hypotheses(sample)) hypotheses.push_back(std::move(hypothesis));
  if (read.report) {
    const double given = silhouette_disagreement(sample, view_cameras(sample)).value_or(0);
    std::erase_if(hypotheses, [&](const CameraHypothesis& each) { return is_refuted(sample, each.cameras, given); });
  }
  return hypotheses;
}

// The given cameras first, then the hypotheses, best first.
std::vector<Trial> run_trials(Engine& engine, const ReadSample& read, const Settings& settings) {
  const Sample& sample = read.sample;
  const std::vector<CameraHypothesis> hypotheses = hypotheses_of(read);
  const bool on_terminal = progress_style(settings) == ProgressStyle::kBar;
  Progress progress("cameras", hypotheses.size() + 1, on_terminal ? ProgressStyle::kBar : ProgressStyle::kNone);
  std::vector<Trial> trials = {run_trial(engine, "as given", sample)};
  for (const CameraHypothesis& hypothesis : hypotheses) {
    progress.update(trials.size(), 0);
    trials.push_back(run_trial(engine, hypothesis.name, with_cameras(sample, hypothesis)));
  }
  progress.update(trials.size(), 0);
  std::stable_sort(trials.begin() + 1, trials.end(),
                   [](const Trial& a, const Trial& b) { return a.mean_iou() > b.mean_iou(); });
  return trials;
}

std::string view_table(const Sample& sample) {
  std::vector<std::vector<std::string>> rows = {{"image", "azimuth", "elevation", "distance", "focal length"}};
  for (std::size_t i = 0; i < sample.views.size(); ++i) {
    const Viewpoint from = viewpoint_of(sample.views[i]);
    rows.push_back({view_label(sample, i), fmt::format("{:.1f}", from.azimuth_deg),
                    fmt::format("{:.1f}", from.elevation_deg), fmt::format("{:.3f}", from.distance),
                    fmt::format("{:.0f}", sample.views[i].camera.intrinsics.fy)});
  }
  return format_table(rows);
}

std::string trial_table(const std::vector<Trial>& trials) {
  std::vector<std::vector<std::string>> rows = {{"cameras", "IoU", "against given"}};
  for (const Trial& trial : trials) {
    rows.push_back({trial.name, fmt::format("{:.3f}", trial.mean_iou()),
                    fmt::format("{:+.3f}", trial.mean_iou() - trials.front().mean_iou())});
  }
  return format_table(rows);
}

Json trials_json(const std::vector<Trial>& trials) {
  Json json = Json::array();
  for (const Trial& trial : trials) {
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
CheckVerdict check_with_network(const CheckOptions& options, const Settings& settings, const ReadSample& read,
                                Json& document) {
  const Sample& sample = read.sample;
  Engine engine = open_engine(resolve_engine_options(settings));
  const std::vector<Trial> trials = run_trials(engine, read, settings);
  document["trials"] = trials_json(trials);
  const TrainedViews& trained = engine.model().trained_views;
  document["typical_iou"] = trained.typical_iou ? Json(*trained.typical_iou) : Json(nullptr);
  if (!settings.json) {
    print("\n" + trial_table(trials));
    if (are_proven(read.report)) print("changed cameras are not tried: the masks agree with these\n");
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
    document["overlay"] = pictures.overlay->string();
    if (!settings.json) print(picture_lines(pictures));
  }
  CheckVerdict found = verdict(trials, trained);
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

  CheckVerdict found;
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
