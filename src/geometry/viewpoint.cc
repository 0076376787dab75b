#include "geometry/viewpoint.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace p2mpp {

Viewpoint viewpoint_of(const View& view) {
  if (view.row) return {view.row->azimuth_deg, view.row->elevation_deg, view.row->distance};
  constexpr double kDegrees = 180 / std::numbers::pi;
  const Eigen::Vector3d& origin = view.camera.origin;
  const double distance = origin.norm();
  const double sine = distance > 0 ? std::clamp(origin.y() / distance, -1.0, 1.0) : 0;
  return {std::atan2(origin.z(), origin.x()) * kDegrees, std::asin(sine) * kDegrees, distance};
}

std::vector<Camera> view_cameras(const Sample& sample) {
  std::vector<Camera> cameras;
  for (const View& view : sample.views) cameras.push_back(view.camera);
  return cameras;
}

}  // namespace p2mpp
