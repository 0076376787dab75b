#include "p2mpp/camera.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <utility>

#include "base/with_prefix.h"
#include "geometry/angles.h"
#include "geometry/similarity.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

std::string number_text(float value) { return std::isnan(value) ? "nan" : fmt::format("{}", value); }

double clamped_to_image(double position) {
  // fmax returns the number if the other argument is NaN: 0/0 in the camera's own plane becomes 0.
  return std::fmin(std::fmax(position, 0.0), kImageSize - 1);
}

}  // namespace

void check_camera(const CameraRow& row) {
  const std::array<std::pair<const char*, float>, 5> values{{
      {"azimuth", row.azimuth_deg},
      {"elevation", row.elevation_deg},
      {"in-plane rotation", row.in_plane_rotation_deg},
      {"distance", row.distance},
      {"field of view", row.field_of_view_deg},
  }};
  for (const auto& [name, value] : values) {
    if (!std::isfinite(value)) {
      throw InputError(fmt::format("{} is {}; expected a finite number", name, number_text(value)));
    }
  }
  if (row.distance <= 0) {
    throw InputError(fmt::format("distance is {}; expected a positive number", number_text(row.distance)));
  }
}

void check_camera(const Camera& camera) {
  if (!camera.origin.allFinite()) throw InputError("the centre is not finite; expected three numbers");
  with_prefix("the rotation ", [&] { check_rotation(camera.rotation); });
  const Intrinsics& intrinsics = camera.intrinsics;
  for (const auto& [name, value] : {std::pair("fx", intrinsics.fx), std::pair("fy", intrinsics.fy)}) {
    if (std::isfinite(value) && value > 0) continue;
    throw InputError(fmt::format("{} is {:g}; expected a positive number", name, value));
  }
  for (const auto& [name, value] : {std::pair("cx", intrinsics.cx), std::pair("cy", intrinsics.cy)}) {
    if (!std::isfinite(value)) throw InputError(fmt::format("{} is {:g}; expected a finite number", name, value));
  }
}

Camera camera_from_row(const CameraRow& row) {
  check_camera(row);
  const double azimuth = row.azimuth_deg * kRadiansPerDegree;
  const double elevation = row.elevation_deg * kRadiansPerDegree;
  const double height = row.distance * std::sin(elevation);
  const double lens = row.distance * std::cos(elevation);

  // Y and Z are perpendicular and of the same length at every elevation, including the poles.
  const Eigen::Vector3d z(lens * std::cos(azimuth), height, lens * std::sin(azimuth));
  const Eigen::Vector3d y(-height * std::cos(azimuth), lens, -height * std::sin(azimuth));
  const Eigen::Vector3d x = y.cross(z);

  Camera camera;
  camera.origin = z;
  camera.rotation << x.normalized().transpose(), y.normalized().transpose(), z.normalized().transpose();
  return camera;
}

Pixel project(const Eigen::Vector3d& point_in_cam, const Intrinsics& intrinsics) {
  const double depth = -point_in_cam.z();
  return {
      .row = clamped_to_image(intrinsics.fy * (-point_in_cam.y() / depth) + intrinsics.cy),
      .column = clamped_to_image(intrinsics.fx * (point_in_cam.x() / depth) + intrinsics.cx),
  };
}

}  // namespace p2mpp
