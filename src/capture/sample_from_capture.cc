#include "capture/sample_from_capture.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/with_prefix.h"
#include "cameras/mask_files.h"
#include "capture/capture_steps.h"
#include "capture/photograph_pixels.h"
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
  if (!request.capture.background.colour || !all) return;
  capture.notes.push_back(
      fmt::format("{}: --background has no effect: all photographs have a mask's file", capture.where));
}

/// sample_from_capture() around an origin near the cameras, which messages add.
PreparedCapture prepare(Capture capture, std::string id, const SampleRequest& request, const Eigen::Vector3d& origin) {
  CaptureWork work{.request = request,
                   .budget = PixelBudget(request.max_pixels),
                   .prepared = {},
                   .context = {},
                   .inspected = {},
                   .origin = origin};
  work.prepared.capture = std::move(capture);
  work.prepared.sample.id = std::move(id);
  inspect_photographs(work);
  settle_convention(work);
  fill_masks(work);
  find_object(work);
  choose_views(work);
  doubt_photographs(work.prepared);
  draw_views(work);
  add_fit_masks(work);
  work.prepared.decodings = work.budget.taken();
  return std::move(work.prepared);
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
  if (!request.capture.masks.empty()) use_masks_in(request.capture.masks, capture);
  note_background_without_effect(request, capture);
  const Eigen::Vector3d origin = far_origin(capture);
  if (origin.isZero(0)) return prepare(std::move(capture), std::move(id), request, origin);
  move_origin(capture, origin);
  SampleRequest around_origin = request;
  if (request.capture.frame.centre) around_origin.capture.frame.centre = *request.capture.frame.centre - origin;
  PreparedCapture prepared = prepare(std::move(capture), std::move(id), around_origin, origin);
  move_origin(prepared, -origin);
  return prepared;
}

CamerasJson describe_cameras(const CaptureReport& report, const std::vector<std::string>& image_names,
                             const std::vector<std::string>& mask_names) {
  CamerasJson cameras;
  const Similarity& source_from_world = report.frame.source_from_world;
  cameras.source_from_world = source_from_world;
  cameras.metres_per_unit = report.capture.metres_per_unit;
  const auto append = [&](std::size_t i, bool use) {
    const Photograph& photograph = report.capture.photographs[i];
    CamerasJsonView view;
    view.image = image_names[i];
    view.mask = mask_names[i];
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
    if (!chosen && report.photographs[i].problem.empty()) append(i, false);
  }
  return cameras;
}

Rigid3 in_world(const Rigid3& cam_from_source, const Similarity& source_from_world) {
  Rigid3 cam_from_world = cam_from_source * Rigid3{source_from_world.rotation, source_from_world.translation};
  cam_from_world.translation /= source_from_world.scale;
  return cam_from_world;
}

CapturePhotographs::CapturePhotographs(const CaptureReport& report, const SampleRequest& request)
    : request_(request), mask_context_(report.mask_context), budget_(request.max_pixels) {
  for (std::size_t i = 0; i < report.photographs.size(); ++i) {
    const PhotographReport& inspected = report.photographs[i];
    if (!inspected.problem.empty() || inspected.contradicts) continue;
    const Photograph& file = report.capture.photographs[i];
    photographs_.push_back({.name = file.name,
                            .lens = file.lens,
                            .width = file.width,
                            .height = file.height,
                            .cam_from_world = in_world(file.cam_from_source, report.frame.source_from_world),
                            .sharpness = inspected.candidate.sharpness});
    files_.push_back(file);
  }
}

DecodedSource CapturePhotographs::decode(std::size_t photograph) const {
  DecodedPhotograph decoded = p2mpp::decode(files_[photograph], budget_);
  Mask mask = find_mask(decoded.photograph, decoded.image, request_, *mask_context_).mask;
  return {std::move(decoded.image), std::move(mask), decoded.photograph.lens, std::move(decoded.share)};
}

}  // namespace p2mpp
