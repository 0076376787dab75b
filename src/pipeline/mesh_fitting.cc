#include "pipeline/mesh_fitting.h"

#include <fmt/format.h>

#include <algorithm>

namespace p2mpp {

FitFigures figures_of(const FitResult& result) {
  FitFigures figures;
  figures.masks = result.views.size();
  figures.used = static_cast<std::size_t>(
      std::ranges::count_if(result.views, [](const FittedView& view) { return view.problem.empty(); }));
  figures.iou_before = result.iou_before;
  figures.iou_after = result.iou_after;
  figures.mask_correction = result.mask_correction;
  figures.steps = result.steps;
  figures.intersecting_before = result.intersecting_before;
  figures.intersecting_after = result.intersecting_after;
  figures.note = result.note;
  return figures;
}

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

const MaskFitter& MaskFitters::of(const TriangleMesh& mesh) {
  const std::lock_guard lock(mutex_);
  for (const auto& [triangles, fitter] : fitters_) {
    if (fitter.vertex_count() == mesh.vertices.size() && triangles == mesh.triangles) return fitter;
  }
  return fitters_.emplace_back(mesh.triangles, MaskFitter(mesh.vertices.size(), mesh.triangles)).second;
}

}  // namespace p2mpp
