#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "capture/capture_steps.h"
#include "capture/poses/pose_refinement.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

bool explains_all(const RobustHull& hull) {
  return hull.excluded.empty() && hull.allowance == 0 &&
         std::ranges::all_of(hull.fits, [](const SilhouetteFit& fit) { return fit.unexplained <= kExplained; });
}

double misfit(const RobustHull& hull) {
  double sum = 0;
  for (const SilhouetteFit& fit : hull.fits) sum += fit.unexplained + fit.beyond;
  return sum;
}

/// Corrects the cameras of silhouettes and photographs, and replaces the hull, if that explains the silhouettes better
/// and nothing else that is known objects.
void refine(PreparedCapture& prepared, RobustHull& robust) {
  PoseRefinement& refinement = prepared.refinement;
  refinement = refine_poses(prepared.silhouettes);
  if (!refinement.applied) return;
  std::vector<MaskView> silhouettes = prepared.silhouettes;
  for (std::size_t i = 0; i < silhouettes.size(); ++i) correct_pose(refinement.corrections[i], silhouettes[i]);
  RobustHull better = robust_hull(silhouettes);
  if (better.excluded.size() > robust.excluded.size() || misfit(better) > misfit(robust) ||
      points_object(prepared.capture.points, prepared.silhouettes, silhouettes) ||
      pattern_objects(robust.hull, prepared.silhouettes, better.hull, silhouettes)) {
    refinement.applied = false;
    refinement.corrections.assign(silhouettes.size(), {});
    return;
  }
  robust = std::move(better);
  prepared.silhouettes = std::move(silhouettes);
  for (std::size_t i = 0; i < prepared.silhouettes.size(); ++i) {
    correct_pose(refinement.corrections[i], prepared.capture.photographs[prepared.silhouette_photographs[i]]);
  }
}

/// Whether a photograph shows a point or nearly shows it: the point is within half the photograph's size around the
/// photograph, and not far behind the object.
bool sees(const Photograph& photograph, const Eigen::Vector3d& point, const Eigen::Vector3d& object) {
  constexpr double kFarBehind = 3;  // times the object's depth
  const Eigen::Vector3d seen = photograph.cam_from_source * point;
  const double depth = (photograph.cam_from_source * object).z();
  if (seen.z() <= 0 || seen.z() > kFarBehind * depth) return false;
  const std::optional<Eigen::Vector2d> pixel = LensMap(photograph.lens).pixel_of(seen);
  return pixel && std::abs(pixel->x() / photograph.width - 0.5) < 1 &&
         std::abs(pixel->y() / photograph.height - 0.5) < 1;
}

void check_centre(const SampleRequest& request, const Eigen::Vector3d& origin, const PreparedCapture& prepared) {
  if (!request.capture.frame.centre) return;
  const Eigen::Vector3d& given = *request.capture.frame.centre;
  const Eigen::Vector3d middle = (prepared.hull.lower + prepared.hull.upper) / 2;
  if (std::ranges::any_of(prepared.capture.photographs,
                          [&](const Photograph& each) { return sees(each, given, middle); })) {
    return;
  }
  const int more = origin.isZero(0) ? 0 : 8;  // digits
  const Eigen::Vector3d from = given + origin, near = middle + origin;
  throw UsageError(
      fmt::format("--centre: {:.{}g},{:.{}g},{:.{}g} is not visible in any photograph; expected it near "
                  "{:.{}g},{:.{}g},{:.{}g}, where the masks are",
                  from.x(), 6 + more, from.y(), 6 + more, from.z(), 6 + more, near.x(), 4 + more, near.y(), 4 + more,
                  near.z(), 4 + more));
}

}  // namespace

void settle_convention(CaptureWork& work) {
  PreparedCapture& prepared = work.prepared;
  Capture& capture = prepared.capture;
  if (std::ranges::none_of(capture.alternatives, &PoseAlternative::is_convention)) return;
  const BetterPoses better = better_poses(capture.alternatives, prepared.silhouettes, prepared.silhouette_photographs);
  if (better.alternative == nullptr || !better.alternative->is_convention) return;
  prepared.silhouettes = with_poses(*better.alternative, prepared.silhouettes, prepared.silhouette_photographs);
  for (std::size_t i = 0; i < capture.photographs.size(); ++i) {
    capture.photographs[i].cam_from_source = better.alternative->cam_from_source[i];
  }
  prepared.sample.doubts.push_back({"poses", {}, better.line + "; these cameras are used"});
  capture.alternatives.clear();  // of the given poses
}

void find_object(CaptureWork& work) {
  const SampleRequest& request = work.request;
  PreparedCapture& prepared = work.prepared;
  const Capture& capture = prepared.capture;
  RobustHull robust;
  const auto better = [&] {
    return better_poses(capture.alternatives, prepared.silhouettes, prepared.silhouette_photographs).line;
  };
  try {
    robust = robust_hull(prepared.silhouettes);
    if (!explains_all(robust)) {
      if (std::string doubt = better(); !doubt.empty()) {
        prepared.sample.doubts.push_back({"poses", {}, std::move(doubt)});
      }
    }
    if (request.capture.corrections.poses) refine(prepared, robust);
    prepared.hull = std::move(robust.hull);
    prepared.allowance = robust.allowance;
    std::vector<MaskView> used;
    for (std::size_t i = 0; i < prepared.silhouettes.size(); ++i) {
      PhotographReport& report = prepared.photographs[prepared.silhouette_photographs[i]];
      report.fit = robust.fits[i];
      report.contradicts = std::find(robust.excluded.begin(), robust.excluded.end(), i) != robust.excluded.end();
      report.candidate.usable = !report.contradicts;
      if (!report.contradicts) used.push_back(prepared.silhouettes[i]);
    }
    if (std::string doubt = contradiction(prepared); !doubt.empty() && prepared.sample.doubts.empty()) {
      prepared.sample.doubts.push_back({"poses", {}, doubt + of_other_size(capture) + of_guessed_masks(prepared)});
    }
    const UpDirection up = find_up(capture);
    if (!up.doubt.empty() && !request.capture.frame.up) prepared.sample.doubts.push_back({"up", {}, up.doubt});
    prepared.frame = object_frame(prepared.hull, used, up, capture.points, request.capture.frame);
  } catch (const InputError& error) {
    const std::string doubt = better();
    throw InputError(fmt::format("{}: {}{}", capture.where,
                                 doubt.empty() ? error.what() + of_inverted(prepared) : doubt,
                                 doubt.empty() ? of_other_size(capture) + of_guessed_masks(prepared) : ""));
  }
  check_centre(request, work.origin, prepared);
}

}  // namespace p2mpp
