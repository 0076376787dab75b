#include "image/viewpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "geometry/angles.h"

namespace p2mpp {

Viewpoint find_viewpoint(const View& view) {
  if (view.row) return {view.row->azimuth_deg, view.row->elevation_deg, view.row->distance};
  const Eigen::Vector3d& origin = view.camera.origin;
  const double distance = origin.norm();
  const double sine = distance > 0 ? std::clamp(origin.y() / distance, -1.0, 1.0) : 0;
  return {std::atan2(origin.z(), origin.x()) * kDegreesPerRadian, std::asin(sine) * kDegreesPerRadian, distance};
}

std::string view_label(const Sample& sample, std::size_t view) {
  const std::string& name = sample.views[view].name;
  return name.empty() ? fmt::format("view {}", view + 1) : name;
}

std::vector<Camera> view_cameras(const Sample& sample) {
  std::vector<Camera> cameras;
  for (const View& view : sample.views) cameras.push_back(view.camera);
  return cameras;
}

}  // namespace p2mpp
