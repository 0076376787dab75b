#include "capture/hull/mask_silhouette.h"

#include "image/mask_boundary.h"

namespace p2mpp {
namespace {

/// Pixels from a position to the boundary, positive inside. Near it, to its tangent: the boundary's points are up to a
/// pixel apart.
float signed_distance(const MaskBoundary& boundary, const Eigen::Vector2f& position) {
  constexpr float kNear = 1.5F;
  const BoundaryPoint& nearest = boundary.nearest(position);
  const Eigen::Vector2f way = nearest.position - position;
  const float length = way.norm();
  if (length < kNear) return way.dot(nearest.outward);
  return boundary.is_object(position) ? length : -length;
}

}  // namespace

Silhouette silhouette_of(const FitMask& mask) {
  Silhouette silhouette;
  silhouette.rotation = flip_y_and_z(mask.camera.rotation);
  silhouette.centre = mask.camera.origin;
  silhouette.focal = mask.camera.intrinsics.fx * mask.width / kImageSize;
  silhouette.size = mask.width;
  silhouette.coverage = mask.coverage;
  silhouette.is_continuous = true;
  const MaskBoundary boundary(mask);
  silhouette.distance.reserve(mask.coverage.size());
  for (int row = 0; row < mask.width; ++row) {
    for (int column = 0; column < mask.width; ++column) {
      silhouette.distance.push_back(
          signed_distance(boundary, {static_cast<float>(column) + 0.5F, static_cast<float>(row) + 0.5F}));
    }
  }
  return silhouette;
}

}  // namespace p2mpp
