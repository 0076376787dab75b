#include "surface/mask_cone.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/numbers/median.h"
#include "geometry/rigid3.h"
#include "image/mask_boundary.h"

namespace p2mpp {

MaskCone::MaskCone(const FitMask& mask)
    : size_(mask.width), distances_(MaskBoundary(mask).signed_distances()), unknown_(mask.unknown) {
  const Rigid3 seen_from_world = flip_y_and_z(cam_from_world(mask.camera));
  rotation_ = seen_from_world.rotation.cast<float>();
  translation_ = seen_from_world.translation.cast<float>();
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
  return sizes.empty() ? 0 : upper_median(std::move(sizes));
}

}  // namespace p2mpp
