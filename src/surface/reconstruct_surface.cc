#include "surface/reconstruct_surface.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "fit/view_fitter.h"
#include "hull/carving.h"
#include "image/mask_view.h"
#include "p2mpp/error.h"
#include "surface/depth_maps.h"
#include "surface/learned_solid.h"
#include "surface/overruled_masks.h"
#include "surface/plain_areas.h"
#include "surface/surface_mesh.h"
#include "surface/volume.h"

namespace p2mpp {
namespace {

void check_resolution(const SurfaceOptions& options) {
  if (options.resolution != 0 && (options.resolution < kLeastResolution || options.resolution > kMostResolution)) {
    throw InputError(fmt::format("{} voxels along the object; expected {} to {}, or 0", options.resolution,
                                 kLeastResolution, kMostResolution));
  }
}

/// Throws InputError if there are not two.
std::vector<MaskView> usable_views(std::span<const FitMask> masks, int threads, SurfaceFigures& figures) {
  std::vector<std::size_t> shown;
  std::string first;
  for (std::size_t i = 0; i < masks.size(); ++i) {
    check_mask(masks[i], i);
    try {
      check_shows_object(masks[i]);
      shown.push_back(i);
    } catch (const InputError& error) {
      if (first.empty()) first = fmt::format("{}: {}", mask_label(masks[i], i), error.what());
    }
  }
  if (shown.size() < 2) {
    throw InputError(fmt::format("{} of {} masks show the object; expected at least 2 for its surface{}", shown.size(),
                                 masks.size(), first.empty() ? "" : "; " + first));
  }
  if (!first.empty()) {
    figures.note = fmt::format("{} of {} masks are not used: {}", masks.size() - shown.size(), masks.size(), first);
  }
  figures.masks = masks.size();
  figures.used = shown.size();
  std::vector<std::optional<MaskView>> made(shown.size());
  for_each_task(shown.size(), threads, [&](std::size_t i) { made[i].emplace(masks[shown[i]]); });
  std::vector<MaskView> views;
  for (std::optional<MaskView>& view : made) views.push_back(*std::move(view));
  return views;
}

/// Follows the masks' own resolution, and the pictures, without harm to the surface.
void fit_surface(std::span<const MaskView> views, const SurfaceOptions& options, SurfaceResult& result) {
  FitResult fitted = fit_to_views(result.mesh, views,
                                  {.steps = options.fit_steps,
                                   .new_intersections = 0,
                                   .guarded = true,
                                   .allowance = result.allowance,
                                   .photo_consistency = options.photo_consistency,
                                   .threads = options.threads});
  result.mesh.vertices = std::move(fitted.vertices);
  result.steps = fitted.steps;
  result.iou = fitted.iou_after;
}

void finish_surface(std::span<const MaskView> views, const SurfaceOptions& options, LargeParts surface,
                    SurfaceResult& result) {
  result.mesh = std::move(surface.mesh);
  result.parts = surface.parts;
  result.dropped = surface.dropped;
  if (options.photo_consistency) result.mesh.vertices = smooth_plain_areas(result.mesh, views, options.threads);
  fit_surface(views, options, result);
}

LargeParts learned_surface(const DistanceField& learned, std::span<const MaskView> views, const SurfaceOptions& options,
                           SurfaceResult& result) {
  constexpr int kFinest = 2;  // finer than the field's voxels by this, more shows nothing and takes gigabytes
  const int voxels = learned.grid.counts.maxCoeff();
  const double side = learned.grid.voxel * voxels;
  const int wanted = options.resolution > 0 ? std::min(options.resolution, kFinest * voxels) : voxels;
  const auto voxel = static_cast<float>(side / wanted);
  const SolidField solid = learned_solid(learned, views, result.allowance, voxel, options.threads);
  result.voxel = solid.grid.voxel();
  result.resolution = wanted;
  LargeParts surface = surface_mesh(solid.grid, solid.values, options.target_vertices, options.threads);
  if (surface.mesh.triangles.empty()) throw InputError("the network finds no object; expected --surface template");
  return surface;
}

}  // namespace

int mask_allowance(std::span<const FitMask> masks, int threads) {
  SurfaceFigures unused;
  try {
    const std::vector<MaskView> views = usable_views(masks, threads, unused);
    return best_allowance(views, object_box(views, most_allowance(views.size()), threads), threads);
  } catch (const InputError&) {
    return 0;
  }
}

SurfaceResult reconstruct_surface(std::span<const FitMask> masks, const ExpectedSurface& shape,
                                  const SurfaceOptions& options) {
  constexpr float kTrusted = 0.035F, kSmoothness = 0.0025F;  // of the box's diagonal: see SolidEvidence
  constexpr float kBand = 0.01F;                             // of that: see votes_at()
  constexpr int kMostAutomatic = 256, kExpectedCells = 128;
  check_resolution(options);
  SurfaceResult result;
  const int threads = options.threads;
  std::vector<MaskView> views = usable_views(masks, threads, result);
  if (shape.learned != nullptr) {
    finish_surface(views, options, learned_surface(*shape.learned, views, options, result), result);
    return result;
  }
  const int most = most_allowance(views.size());
  const Box outer = object_box(views, most, threads);
  // Of the masks as they are: after some are overruled, they agree better than they are right, and would get vetoes.
  result.allowance = best_allowance(views, outer, threads);
  std::vector<DepthMap> maps;
  if (options.photo_consistency) {
    maps = depth_maps(views, most, outer, threads);
    result.overruled = overrule_masks(maps, static_cast<std::size_t>(most), threads, views);
  }
  const Box box = result.allowance == most ? outer : object_box(views, result.allowance, threads);
  const Eigen::Vector3f size = box.upper - box.lower;
  const auto pixels = static_cast<int>(std::ceil(size.maxCoeff() / pixel_at(views, (box.lower + box.upper) / 2)));
  result.resolution =
      options.resolution > 0 ? options.resolution : std::clamp(pixels, kLeastResolution, kMostAutomatic);
  result.voxel = static_cast<double>(size.maxCoeff()) / result.resolution;
  SolidEvidence evidence{
      .expected = {}, .seen = {}, .trusted = kTrusted * size.norm(), .smoothness = kSmoothness * size.norm()};
  std::optional<SolidDistance> expected;
  const bool is_fitted = shape.fitted != nullptr && result.allowance == 0;
  if (const TriangleMesh* mesh = is_fitted ? shape.fitted : shape.network) {
    expected.emplace(*mesh, box.lower, box.upper, kExpectedCells, evidence.trusted, threads);
    evidence.expected = [&](const Eigen::Vector3f& point) { return expected->at(point); };
  }
  const bool has_other_hull = result.overruled > 0 || result.allowance != most;
  if (!maps.empty() && has_other_hull) maps = depth_maps(views, result.allowance, box, threads);
  if (!maps.empty()) {
    evidence.seen = [&, band = kBand * size.norm()](const Eigen::Vector3f& point) {
      return votes_at(maps, point, band);
    };
  }
  const HullVotes votes(views, result.allowance);
  Volume volume(views, votes, std::move(evidence), threads);
  volume.solve(box, result.resolution);
  LargeParts surface = surface_mesh(volume.grid(), volume.field(), options.target_vertices, threads);
  if (surface.mesh.triangles.empty()) {
    throw InputError("the masks overlap in less than a pixel; expected masks of one object");
  }
  finish_surface(views, options, std::move(surface), result);
  return result;
}

}  // namespace p2mpp
