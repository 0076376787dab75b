#include "image/mask_view.h"

#include "base/numbers/median.h"
#include "image/mask_boundary.h"

namespace p2mpp {

MaskView::MaskView(Mask mask, const Pinhole<double>& camera) {
  set_mask(std::move(mask));
  set_camera(camera);
}

MaskView::MaskView(const FitMask& mask) : MaskView(mask, pinhole_of(mask.camera, mask.width)) {
  brightness = mask.brightness;
}

void MaskView::set_mask(Mask mask) {
  static_cast<Mask&>(*this) = std::move(mask);
  distances_ = MaskBoundary(*this).signed_distances();
}

void MaskView::set_camera(const Pinhole<double>& camera) {
  camera_ = camera;
  float_camera_ = camera.cast<float>();
  pixel_ = 2 / float_camera_.focal.sum();
  nearest_ = 1e-4F * static_cast<float>(camera.centre.norm());
}

void MaskView::set_pose(const Eigen::Matrix3d& cam_from_world, const Eigen::Vector3d& centre) {
  Pinhole<double> camera = camera_;
  camera.set_pose(cam_from_world, centre);
  set_camera(camera);
}

void MaskView::set_photograph_pose(const Rigid3& photograph_from_world) {
  set_pose(view_from_photograph * photograph_from_world.rotation, inverse(photograph_from_world).translation);
}

bool MaskView::is_near_unknown(double column, double row, int reach) const {
  if (unknown.empty()) return false;
  const auto inside = [&](double value) { return std::clamp(static_cast<int>(value), 0, width - 1); };
  for (int y = inside(row - reach); y <= inside(row + reach); ++y) {
    for (int x = inside(column - reach); x <= inside(column + reach); ++x) {
      if (!is_known(y, x)) return true;
    }
  }
  return false;
}

float pixel_at(std::span<const MaskView> views, const Eigen::Vector3f& point) {
  std::vector<float> sizes;
  for (const MaskView& view : views) {
    if (const float pixel = view.see(point).pixel; pixel > 0) sizes.push_back(pixel);
  }
  return sizes.empty() ? 0 : upper_median(std::move(sizes));
}

FitMask to_fit_mask(const MaskView& view, std::string name) {
  return {view, camera_of(view.camera(), view.width), view.brightness, std::move(name)};
}

}  // namespace p2mpp
