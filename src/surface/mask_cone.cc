#include "surface/mask_cone.h"

#include <algorithm>
#include <cstddef>

#include "image/mask_boundary.h"

namespace p2mpp {

MaskCone::MaskCone(const FitMask& mask) : size_(mask.width), distances_(MaskBoundary(mask).signed_distances()) {
  const Eigen::Matrix3d flip = Eigen::Vector3d(1, -1, -1).asDiagonal();
  rotation_ = (flip * mask.camera.rotation).cast<float>();
  translation_ = (-flip * mask.camera.rotation * mask.camera.origin).cast<float>();
  centre_ = mask.camera.origin.cast<float>();
  const double scale = mask.width / kImageSize;
  const Intrinsics& seen = mask.camera.intrinsics;
  fx_ = static_cast<float>(scale * seen.fx);
  fy_ = static_cast<float>(scale * seen.fy);
  cx_ = static_cast<float>(scale * seen.cx);
  cy_ = static_cast<float>(scale * seen.cy);
  pixel_ = 2 / (fx_ + fy_);
  nearest_ = 1e-4F * static_cast<float>(mask.camera.origin.norm());
}

float pixel_at(std::span<const MaskCone> cones, const Eigen::Vector3f& point) {
  std::vector<float> sizes;
  for (const MaskCone& cone : cones) {
    if (const float pixel = cone.see(point).pixel; pixel > 0) sizes.push_back(pixel);
  }
  if (sizes.empty()) return 0;
  std::ranges::nth_element(sizes, sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2));
  return sizes[sizes.size() / 2];
}

}  // namespace p2mpp
