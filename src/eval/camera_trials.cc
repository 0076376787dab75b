#include "eval/camera_trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "check/sample_check.h"
#include "check/sample_silhouettes.h"
#include "image/viewpoint.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr double kBetter = 0.03;  ///< of the mean IoU, from which other cameras fit better than those given
constexpr double kUnusual = 2;    ///< standard deviations below what the model reaches

std::string describe_trials(std::span<const CameraTrial> trials) {
  const double given = trials.front().mean_iou();
  if (trials.size() > 1 && trials[1].mean_iou() > given + kBetter) {
    return fmt::format("other cameras fit better: {}", trials[1].name);
  }
  if (given < kLowOverlap) return "the mesh does not fit the images with any of these cameras";
  return {};
}

CameraTrial run_trial(Engine& engine, std::string name, const Sample& sample) {
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

// Those that the silhouettes of the views allow.
std::vector<CameraHypothesis> list_hypotheses(const Sample& sample, const CaptureReport* report) {
  if (are_cameras_proven(report)) return {};
  std::vector<CameraHypothesis> hypotheses = order_hypotheses(sample);
  for (CameraHypothesis& hypothesis : number_hypotheses(sample)) hypotheses.push_back(std::move(hypothesis));
  if (report != nullptr) {
    const double given = silhouette_disagreement(sample, view_cameras(sample)).value_or(0);
    std::erase_if(hypotheses, [&](const CameraHypothesis& each) { return is_refuted(sample, each.cameras, given); });
  }
  return hypotheses;
}

}  // namespace

double CameraTrial::mean_iou() const {
  const double sum = std::accumulate(overlaps.begin(), overlaps.end(), 0.0,
                                     [](double total, const ViewOverlap& overlap) { return total + overlap.iou; });
  return sum / static_cast<double>(overlaps.size());
}

bool are_cameras_proven(const CaptureReport* report) {
  constexpr std::ptrdiff_t kEnough = 20;
  constexpr double kAgrees = 0.01;
  return report != nullptr && std::ranges::count_if(report->photographs, [](const PhotographReport& each) {
                                return each.problem.empty() && !each.contradicts && each.fit.unexplained < kAgrees;
                              }) >= std::max(kEnough, std::ssize(report->photographs) * 9 / 10);
}

std::vector<CameraTrial> try_cameras(Engine& engine, const Sample& sample, const CaptureReport* report,
                                     const std::function<void(std::size_t, std::size_t)>& on_trial) {
  const std::vector<CameraHypothesis> hypotheses = list_hypotheses(sample, report);
  std::vector<CameraTrial> trials = {run_trial(engine, "as given", sample)};
  for (const CameraHypothesis& hypothesis : hypotheses) {
    on_trial(trials.size(), hypotheses.size() + 1);
    trials.push_back(run_trial(engine, hypothesis.name, with_cameras(sample, hypothesis)));
  }
  on_trial(trials.size(), hypotheses.size() + 1);
  std::stable_sort(trials.begin() + 1, trials.end(),
                   [](const CameraTrial& a, const CameraTrial& b) { return a.mean_iou() > b.mean_iou(); });
  return trials;
}

CameraVerdict verdict(std::span<const CameraTrial> trials, const TrainedViews& trained) {
  CameraVerdict found{.warning = describe_trials(trials), .typical = {}, .is_low = false};
  if (!trained.typical_iou) return found;
  const double given = trials.front().mean_iou();
  const auto [mean, deviation] = *trained.typical_iou;
  found.is_low = given < mean - kUnusual * deviation;
  found.typical = fmt::format("this model reaches {:.2f} +- {:.2f} on its own kind of objects", mean, deviation);
  if (found.is_low) {
    found.typical += fmt::format(
        "; {:.2f} is unusually low: the object may be of another kind, or the cameras wrong. The IoU alone does not "
        "tell "
        "whether their distances are right",
        given);
  }
  return found;
}

}  // namespace p2mpp
