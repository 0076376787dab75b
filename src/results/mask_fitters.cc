#include "results/mask_fitters.h"

#include <fmt/format.h>

#include "geometry/foreign/welding.h"

namespace p2mpp {
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
  // A mesh from elsewhere, or a hull, has no usual gap to exact masks.
  options.correct_masks = sample.initial_mesh == nullptr;
  // Triangles that are one sample's alone are not worth keeping a fitter for.
  FitResult result = sample.initial_mesh ? fit_to_masks(mesh, sample.fit_masks, options)
                                         : fitters.of(mesh).fit(mesh.vertices, sample.fit_masks, options);
  FittedMesh fitted{mesh, static_cast<FitFigures>(result)};
  if (result.steps > 0) fitted.mesh = moved(mesh, result.vertices);
  return fitted;
}

}  // namespace p2mpp
