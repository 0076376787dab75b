#include "pipeline/mesh_fitting.h"

#include <fmt/format.h>

#include <chrono>

#include "capture/hull/hull_mesh.h"
#include "p2mpp/error.h"
#include "p2mpp/frame.h"

namespace p2mpp {
namespace {

/// Fits the hull of the masks. Returns the hull as it was before the fit, and replaces `result`, except for its figures
/// of the mesh before the fit. Nothing if there is no hull or it is no better.
std::optional<TriangleMesh> fit_hull(const std::vector<FitMask>& masks, FitOptions options, FitResult& result) {
  std::optional<TriangleMesh> hull;
  try {
    hull = hull_mesh(masks, {.threads = options.threads}).mesh;
  } catch (const InputError&) {
    return std::nullopt;  // the result's note says that it cannot be trusted
  }
  options.correct_masks = false;
  FitResult fitted = fit_to_masks(*hull, masks, options);
  if (fitted.iou_after <= result.iou_after) return std::nullopt;
  fitted.iou_before = result.iou_before;
  fitted.intersecting_before = result.intersecting_before;
  fitted.note = fmt::format("{}{}the mesh hardly overlaps its masks (mean IoU {:.2f}): their hull takes its place",
                            fitted.note, fitted.note.empty() ? "" : "; ", result.iou_before);
  result = std::move(fitted);
  return hull;
}

}  // namespace

std::string fit_summary(const FitFigures& figures) {
  return fmt::format("{} masks, IoU {:.2f} -> {:.2f}, {} steps, {:.0f} ms", figures.used, figures.iou_before,
                     figures.iou_after, figures.steps, figures.milliseconds);
}

const MaskFitter& MaskFitters::of(const TriangleMesh& mesh) {
  const std::lock_guard lock(mutex_);
  for (const auto& [triangles, fitter] : fitters_) {
    if (fitter.vertex_count() == mesh.vertices.size() && triangles == mesh.triangles) return fitter;
  }
  return fitters_.emplace_back(mesh.triangles, MaskFitter(mesh.vertices.size(), mesh.triangles)).second;
}

FittedMesh fit_sample(const Sample& sample, const TriangleMesh& mesh, FitOptions options, MaskFitters& fitters) {
  const auto begin = std::chrono::steady_clock::now();
  const TriangleMesh in_world = in_frame(mesh, sample, Frame::kWorld);
  // A mesh from elsewhere, or a hull, has no usual gap to exact masks.
  options.correct_masks = sample.initial_mesh == nullptr;
  // Triangles that are one sample's alone are not worth keeping a fitter for.
  FitResult result = sample.initial_mesh ? fit_to_masks(in_world, sample.fit_masks, options)
                                         : fitters.of(in_world).fit(in_world.vertices, sample.fit_masks, options);
  const bool is_hopeless = result.used > 0 && result.iou_before < kHopelessIou && !sample.initial_mesh;
  std::optional<TriangleMesh> hull;
  if (is_hopeless) hull = fit_hull(sample.fit_masks, options, result);
  FittedMesh fitted{mesh, static_cast<FitFigures>(result), {}};
  if (result.steps > 0 || hull) {
    fitted.mesh = in_network_frame({result.vertices, hull ? hull->triangles : mesh.triangles}, sample);
  }
  if (hull) fitted.hull = in_network_frame(*std::move(hull), sample);
  fitted.figures.milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  return fitted;
}

}  // namespace p2mpp
