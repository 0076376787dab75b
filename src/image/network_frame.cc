#include "image/network_frame.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace p2mpp {

double seen_distance(double distance) {
  constexpr double kNearest = 0.65, kFarthest = 0.9;
  return std::clamp(distance, kNearest, kFarthest);
}

Eigen::Matrix3d looking_at_origin(const Eigen::Vector3d& origin, const Eigen::Vector3d& right_hint) {
  const Eigen::Vector3d z = origin.normalized();
  Eigen::Vector3d x = Eigen::Vector3d::UnitY().cross(z);
  if (x.norm() < 1e-6) x = right_hint - z * z.dot(right_hint);  // straight above or below: as the photograph was held
  if (x.norm() < 1e-6) x = Eigen::Vector3d::UnitX();
  x.normalize();
  Eigen::Matrix3d axes;
  axes << x.transpose(), z.cross(x).transpose(), z.transpose();
  return axes;
}

Camera network_frame_for(const Camera& first) {
  const double distance = first.origin.norm();
  Camera frame{looking_at_origin(first.origin, first.rotation.row(0)), first.origin, {}};
  if (distance > 0) frame.origin *= seen_distance(distance) / distance;
  return frame;
}

std::optional<Camera> network_frame_for_given(const View& first) {
  constexpr double kTolerance = 0.01;  // of the distance
  const double distance = first.camera.origin.norm(), off = std::abs(distance - seen_distance(distance));
  if (first.row || !(distance > 0) || off < kTolerance * distance) return std::nullopt;
  return network_frame_for(first.camera);
}

}  // namespace p2mpp
