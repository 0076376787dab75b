#include "capture/sample_from_capture.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/parallel.h"
#include "base/with_prefix.h"
#include "cameras/capture.h"
#include "cameras/mask_files.h"
#include "capture/capture_doubts.h"
#include "capture/capture_photographs.h"
#include "capture/pieces/missing_pieces.h"
#include "capture/photograph_mask.h"
#include "capture/poses/better_poses.h"
#include "capture/poses/pose_objections.h"
#include "geometry/similarity.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

void check_request(const Capture& capture, const SampleRequest& request) {
  const std::size_t count = request.photograph_count();
  if (count < kMinViews || count > kMaxViews) {
    throw UsageError(fmt::format("{} views; expected {} to {}", count, kMinViews, kMaxViews));
  }
  for (const std::size_t view : request.views) {
    if (view >= capture.photographs.size()) {
      throw UsageError(fmt::format("view {}; {} has photographs 0 to {}", view, capture.where,
                                   static_cast<std::ptrdiff_t>(capture.photographs.size()) - 1));
    }
    if (std::ranges::count(request.views, view) > 1) {
      throw UsageError(fmt::format("view {} is named twice; expected different views", view));
    }
  }
  for (const Photograph& photograph : capture.photographs) {
    with_prefix(photograph.name + ": ", [&] { check_lens(photograph.lens); });
    if (!photograph.cam_from_source.rotation.allFinite() || !photograph.cam_from_source.translation.allFinite()) {
      throw InputError(fmt::format("{}: its pose is not finite; expected numbers", photograph.name));
    }
  }
}

void note_background_without_effect(const SampleRequest& request, Capture& capture) {
  const bool all = std::ranges::none_of(capture.photographs, [](const Photograph& each) { return each.mask.empty(); });
  if (!request.background.colour || !all) return;
  capture.notes.push_back(
      fmt::format("{}: --background has no effect: all photographs have a mask's file", capture.where));
}

void check_usable(const PreparedCapture& prepared) {
  if (prepared.silhouettes.size() >= kMinViews) return;
  std::string reason;
  for (const PhotographReport& report : prepared.photographs) {
    if (report.why_unused && reason.empty()) reason = fmt::format("; {}: {}", report.name, *report.why_unused);
  }
  throw InputError(fmt::format("{}: {} of {} photographs have a usable mask; expected at least {}{}",
                               prepared.capture.where, prepared.silhouettes.size(), prepared.photographs.size(),
                               kMinViews, reason));
}

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

/// Takes the poses of the format's other convention if the silhouettes agree only with them.
void settle_convention(PreparedCapture& prepared) {
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

/// Hull and frame; corrects the capture's poses.
void find_object(const SampleRequest& request, PreparedCapture& prepared) {
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
    if (request.refine_poses) refine(prepared, robust);
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
    const UpDirection up = up_of(capture);
    if (!up.doubt.empty() && !request.frame.up) prepared.sample.doubts.push_back({"up", {}, up.doubt});
    prepared.frame = object_frame(prepared.hull, used, up, capture.points, request.frame);
  } catch (const InputError& error) {
    const std::string doubt = better();
    throw InputError(fmt::format("{}: {}{}", capture.where,
                                 doubt.empty() ? error.what() + of_inverted(prepared) : doubt,
                                 doubt.empty() ? of_other_size(capture) + of_guessed_masks(prepared) : ""));
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
  if (!request.frame.centre) return;
  const Eigen::Vector3d& given = *request.frame.centre;
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

void choose(const SampleRequest& request, PreparedCapture& prepared) {
  const Similarity world_from_source = inverse(prepared.frame.source_from_world);
  std::vector<ViewCandidate> candidates;
  for (std::size_t i = 0; i < prepared.photographs.size(); ++i) {
    ViewCandidate& candidate = prepared.photographs[i].candidate;
    candidate.camera = world_from_source.transformed(prepared.capture.photographs[i].centre());
    candidates.push_back(candidate);
  }
  prepared.duplicates = duplicate_views(candidates);
  prepared.chosen = request.views.empty() ? choose_views(candidates, request.photograph_count()) : request.views;
  if (prepared.chosen.size() < kMinViews) {
    throw InputError(fmt::format("{}: {} different views can be used; expected at least {}", prepared.capture.where,
                                 prepared.chosen.size(), kMinViews));
  }
}

/// All photographs, those first that enter the network: the order of cameras.json, on which a fit's bytes depend.
std::vector<std::size_t> chosen_first(const PreparedCapture& prepared) {
  std::vector<std::size_t> order = prepared.chosen;
  for (std::size_t i = 0; i < prepared.photographs.size(); ++i) {
    if (std::ranges::count(prepared.chosen, i) == 0) order.push_back(i);
  }
  return order;
}

/// The photographs to whose masks the mesh is fitted. One that contradicts the others is among `all`: it counts less.
std::vector<std::size_t> fit_photographs(const PreparedCapture& prepared, const FitViews& fit) {
  switch (fit.kind) {
    case FitViews::Kind::kNone:
      return {};
    case FitViews::Kind::kAutomatic:
      if (prepared.silhouettes.size() <= prepared.chosen.size()) return {};
      [[fallthrough]];
    case FitViews::Kind::kAll:
      return fitted_of(chosen_first(prepared));
    case FitViews::Kind::kSame:
      return prepared.chosen;
    case FitViews::Kind::kListed:
      break;
  }
  return fit.listed;
}

void check_listed(const PreparedCapture& prepared, const FitViews& fit) {
  for (const std::size_t view : fit.listed) {
    if (view >= prepared.photographs.size()) {
      throw UsageError(fmt::format("view {} of the fit; {} has photographs 0 to {}", view, prepared.capture.where,
                                   static_cast<std::ptrdiff_t>(prepared.photographs.size()) - 1));
    }
    if (const PhotographReport& report = prepared.photographs[view]; report.why_unused) {
      throw InputError(fmt::format("{}: {}; expected a mask for the fit", report.name, *report.why_unused));
    }
  }
}

/// From the silhouettes, so that no photograph is decoded again.
void add_fit_masks(const FitViews& fit, PreparedCapture& prepared) {
  check_listed(prepared, fit);
  for (const std::size_t photograph : fit_photographs(prepared, fit)) {
    const auto found = std::ranges::find(prepared.silhouette_photographs, photograph);
    if (found == prepared.silhouette_photographs.end()) continue;  // without a usable mask
    const auto i = static_cast<std::size_t>(found - prepared.silhouette_photographs.begin());
    MaskView view = prepared.silhouettes[i];
    const Rigid3& cam_from_source = prepared.capture.photographs[photograph].cam_from_source;
    view.set_photograph_pose(in_world(cam_from_source, prepared.frame.source_from_world));
    prepared.sample.fit_masks.push_back(fit_mask_of(view, prepared.photographs[photograph].name));
  }
}

/// Finds pieces that masks lack. Returns the photographs whose masks have changed.
std::vector<std::size_t> fill_masks(const SampleRequest& request, PreparedCapture& prepared, MaskContext& context) {
  std::vector<std::size_t> changed;
  std::vector<MaskView> silhouettes = prepared.silhouettes;
  for (const FilledPiece& piece : fill_missing_pieces(silhouettes, request.threads)) {
    const std::size_t photograph = prepared.silhouette_photographs[piece.silhouette];
    const std::filesystem::path& image = prepared.capture.photographs[photograph].image;
    if (context.pieces.emplace(image, piece_of(silhouettes[piece.silhouette], piece)).second) {
      changed.push_back(photograph);
    }
  }
  if (!changed.empty()) prepared.capture.notes.push_back(pieces_note(changed.size()));
  return changed;
}

std::vector<InspectedPhotograph> inspect_all(const Capture& capture, const SampleRequest& request,
                                             const MaskContext& context, PixelBudget& budget) {
  const std::size_t count = capture.photographs.size();
  KeptPixels room(request.views);
  std::vector<InspectedPhotograph> inspected(count);
  std::mutex reporting;
  std::size_t read = 0;
  for_each_task(count, request.threads, [&](std::size_t i) {
    inspected[i] = inspect(capture, i, request, context, budget, room);
    const std::lock_guard lock(reporting);
    if (request.on_photograph) request.on_photograph(++read, count);
  });
  return inspected;
}

double common_excess_of(const std::vector<InspectedPhotograph>& inspected) {
  std::vector<std::optional<MaskExcess>> measured;
  for (std::size_t i = 0; i < inspected.size(); ++i) {
    if (stands_for_all(i, inspected.size())) measured.push_back(inspected[i].excess);
  }
  return common_excess(measured);
}

/// sample_from_capture() around an origin near the cameras, which messages add.
PreparedCapture prepare(Capture capture, std::string id, const SampleRequest& request, const Eigen::Vector3d& origin) {
  const std::size_t count = capture.photographs.size();
  PixelBudget budget(request.max_pixels);
  const auto context = std::make_shared<MaskContext>();
  find_border_colours(capture, request, budget, *context);
  std::vector<InspectedPhotograph> inspected = inspect_all(capture, request, *context, budget);
  context->excess = common_excess_of(inspected);
  if (context->excess != 0) {
    capture.notes.push_back(width_note(context->excess));
    inspected = inspect_all(capture, request, *context, budget);
  }

  PreparedCapture prepared;
  prepared.mask_context = context;
  prepared.capture = std::move(capture);
  for (std::size_t i = 0; i < count; ++i) {
    prepared.photographs.push_back(std::move(inspected[i].report));
    if (!inspected[i].silhouette) continue;
    prepared.silhouettes.push_back(*std::move(inspected[i].silhouette));
    prepared.silhouette_photographs.push_back(i);
  }
  check_usable(prepared);
  settle_convention(prepared);
  if (request.refine_masks) {
    KeptPixels room(request.views);
    for (const std::size_t photograph : fill_masks(request, prepared, *context)) {
      inspected[photograph] = inspect(prepared.capture, photograph, request, *context, budget, room);
      prepared.photographs[photograph] = std::move(inspected[photograph].report);
      const auto found = std::ranges::find(prepared.silhouette_photographs, photograph);
      prepared.silhouettes[static_cast<std::size_t>(found - prepared.silhouette_photographs.begin())] =
          inspected[photograph].silhouette.value();
    }
  }
  find_object(request, prepared);
  check_centre(request, origin, prepared);
  choose(request, prepared);
  doubt_photographs(prepared);

  Sample& sample = prepared.sample;
  sample.id = std::move(id);
  sample.unit_origin = request.frame.scale ? UnitOrigin::kGiven : UnitOrigin::kMasks;
  sample.source_from_world = prepared.frame.source_from_world;
  sample.views.resize(prepared.chosen.size());
  for_each_task(prepared.chosen.size(), request.threads, [&](std::size_t i) {
    const std::size_t photograph = prepared.chosen[i];
    sample.views[i] = canonical_view(prepared.capture.photographs[photograph], std::move(inspected[photograph].kept),
                                     request, *context, sample.source_from_world, budget);
  });
  sample.network_frame = network_frame_for(sample.views.front().camera);
  add_fit_masks(request.fit, prepared);
  prepared.decodings = budget.taken();
  return prepared;
}

/// Moves everything in the source's frame.
void move_origin(PreparedCapture& prepared, const Eigen::Vector3d& origin) {
  move_origin(prepared.capture, origin);
  for (MaskView& silhouette : prepared.silhouettes) {
    silhouette.set_pose(silhouette.camera().rotation, silhouette.camera().centre - origin);
  }
  Hull& hull = prepared.hull;
  for (Eigen::Vector3d* place : {&hull.lower, &hull.upper}) *place -= origin;
  for (Eigen::Vector3f& point : hull.surface) point = (point.cast<double>() - origin).cast<float>();
  prepared.frame.source_from_world.translation -= origin;
  prepared.sample.source_from_world.translation -= origin;
}

}  // namespace

PreparedCapture sample_from_capture(Capture capture, std::string id, const SampleRequest& request) {
  check_request(capture, request);
  request.check_total_pixels(capture);
  if (!request.masks.empty()) use_masks_in(request.masks, capture);
  note_background_without_effect(request, capture);
  const Eigen::Vector3d origin = far_origin(capture);
  if (origin.isZero(0)) return prepare(std::move(capture), std::move(id), request, origin);
  move_origin(capture, origin);
  SampleRequest around_origin = request;
  if (request.frame.centre) around_origin.frame.centre = *request.frame.centre - origin;
  PreparedCapture prepared = prepare(std::move(capture), std::move(id), around_origin, origin);
  move_origin(prepared, -origin);
  return prepared;
}

CamerasJson cameras_json_of(const CaptureReport& report, const std::vector<std::string>& image_of,
                            const std::vector<std::string>& mask_of) {
  CamerasJson cameras;
  const Similarity& source_from_world = report.frame.source_from_world;
  cameras.source_from_world = source_from_world;
  const auto append = [&](std::size_t i, bool use) {
    const Photograph& photograph = report.capture.photographs[i];
    CamerasJsonView view;
    view.image = image_of[i];
    view.mask = mask_of[i];
    view.background = report.photographs[i].background;
    view.width = photograph.width;
    view.height = photograph.height;
    view.lens = photograph.lens;
    view.upright = photograph.upright;
    view.cam_from_world = in_world(photograph.cam_from_source, source_from_world);
    view.use = use;
    cameras.views.push_back(std::move(view));
  };
  for (const std::size_t i : report.chosen) append(i, true);
  for (std::size_t i = 0; i < report.photographs.size(); ++i) {
    const bool chosen = std::ranges::count(report.chosen, i) > 0;
    if (!chosen && !report.photographs[i].why_unused) append(i, false);
  }
  return cameras;
}

}  // namespace p2mpp
