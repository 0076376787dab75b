#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/parallel.h"
#include "capture/capture_steps.h"
#include "capture/sample_from_capture.h"
#include "geometry/similarity.h"
#include "image/network_frame.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

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
  using enum FitViews::Kind;
  if (fit.kind == kListed) return fit.listed;
  if (fit.kind == kSame) return prepared.chosen;
  const bool takes_all =
      fit.kind == kAll || (fit.kind == kAutomatic && prepared.silhouettes.size() > prepared.chosen.size());
  return takes_all ? select_fitted(chosen_first(prepared)) : std::vector<std::size_t>();
}

void check_listed(const PreparedCapture& prepared, const FitViews& fit) {
  for (const std::size_t view : fit.listed) {
    if (view >= prepared.photographs.size()) {
      throw UsageError(fmt::format("view {} of the fit; {} has photographs 0 to {}", view, prepared.capture.where,
                                   static_cast<std::ptrdiff_t>(prepared.photographs.size()) - 1));
    }
    if (const PhotographReport& report = prepared.photographs[view]; !report.problem.empty()) {
      throw InputError(fmt::format("{}: {}; expected a mask for the fit", report.name, report.problem));
    }
  }
}

}  // namespace

void choose_views(CaptureWork& work) {
  const SampleRequest& request = work.request;
  PreparedCapture& prepared = work.prepared;
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

void draw_views(CaptureWork& work) {
  PreparedCapture& prepared = work.prepared;
  Sample& sample = prepared.sample;
  sample.unit_origin = work.request.capture.frame.scale ? UnitOrigin::kGiven : UnitOrigin::kMasks;
  sample.source_from_world = prepared.frame.source_from_world;
  sample.metres_per_source_unit = prepared.capture.metres_per_unit;
  sample.views.resize(prepared.chosen.size());
  for_each_task(prepared.chosen.size(), work.request.threads, [&](std::size_t i) {
    const std::size_t photograph = prepared.chosen[i];
    sample.views[i] =
        canonical_view(prepared.capture.photographs[photograph], std::move(work.inspected[photograph].kept),
                       work.request, *work.context, sample.source_from_world, work.budget);
  });
  sample.network_frame = network_frame_for(sample.views.front().camera);
}

void add_fit_masks(CaptureWork& work) {
  const FitViews& fit = work.request.fit;
  PreparedCapture& prepared = work.prepared;
  check_listed(prepared, fit);
  for (const std::size_t photograph : fit_photographs(prepared, fit)) {
    const auto found = std::ranges::find(prepared.silhouette_photographs, photograph);
    if (found == prepared.silhouette_photographs.end()) continue;  // without a usable mask
    const auto i = static_cast<std::size_t>(found - prepared.silhouette_photographs.begin());
    MaskView view = prepared.silhouettes[i];
    const Rigid3& cam_from_source = prepared.capture.photographs[photograph].cam_from_source;
    view.set_photograph_pose(in_world(cam_from_source, prepared.frame.source_from_world));
    prepared.sample.fit_masks.push_back(to_fit_mask(view, prepared.photographs[photograph].name));
  }
}

}  // namespace p2mpp
