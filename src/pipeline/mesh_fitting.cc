#include "pipeline/mesh_fitting.h"

#include <fmt/format.h>

#include "capture/hull/hull_mesh.h"
#include "p2mpp/error.h"

namespace p2mpp {

std::string describe(const FitFigures& figures) {
  return fmt::format("{} masks, IoU {:.2f} -> {:.2f}, {} steps, {:.0f} ms", figures.used, figures.iou_before,
                     figures.iou_after, figures.steps, figures.milliseconds);
}

Points in_frame_of_network(const Sample& sample, const Points& world) {
  const Camera& frame = network_frame(sample);
  Points points;
  points.reserve(world.size());
  for (const Eigen::Vector3f& point : world) {
    points.push_back(frame.cam_from_world(point.cast<double>()).cast<float>());
  }
  return points;
}

std::shared_ptr<const TriangleMesh> fit_hull(std::span<const FitMask> masks, FitOptions options, FitResult& result) {
  std::shared_ptr<const TriangleMesh> hull;
  try {
    hull = std::make_shared<const TriangleMesh>(hull_mesh(masks, {.threads = options.threads}).mesh);
  } catch (const InputError&) {
    return nullptr;  // the result's note says that it cannot be trusted
  }
  options.correct_masks = false;
  FitResult fitted = fit_to_masks(*hull, masks, options);
  if (fitted.iou_after <= result.iou_after) return nullptr;
  fitted.iou_before = result.iou_before;
  fitted.intersecting_before = result.intersecting_before;
  fitted.note = fmt::format("{}{}the mesh hardly overlaps its masks (mean IoU {:.2f}): their hull takes its place",
                            fitted.note, fitted.note.empty() ? "" : "; ", result.iou_before);
  result = std::move(fitted);
  return hull;
}

const MaskFitter& MaskFitters::of(const TriangleMesh& mesh) {
  const std::lock_guard lock(mutex_);
  for (const auto& [triangles, fitter] : fitters_) {
    if (fitter.vertex_count() == mesh.vertices.size() && triangles == mesh.triangles) return fitter;
  }
  return fitters_.emplace_back(mesh.triangles, MaskFitter(mesh.vertices.size(), mesh.triangles)).second;
}

FittedMesh fit_sample(const Sample& sample, const TriangleMesh& mesh, const Points& vertices, FitOptions options,
                      MaskFitters& fitters) {
  // A mesh from elsewhere, or a hull, has no usual gap to exact masks.
  options.correct_masks = sample.initial_mesh == nullptr;
  // Triangles that are one sample's alone are not worth keeping a fitter for.
  FitResult result = sample.initial_mesh ? fit_to_masks(mesh, sample.fit_masks, options)
                                         : fitters.of(mesh).fit(mesh.vertices, sample.fit_masks, options);
  const bool is_hopeless = result.used > 0 && result.iou_before < kHopelessIou && !sample.initial_mesh;
  std::shared_ptr<const TriangleMesh> hull = is_hopeless ? fit_hull(sample.fit_masks, options, result) : nullptr;
  const bool has_moved = result.steps > 0 || hull;
  return {.figures = static_cast<FitFigures>(result),
          .vertices = has_moved ? in_frame_of_network(sample, result.vertices) : vertices,
          .hull = std::move(hull)};
}

}  // namespace p2mpp
