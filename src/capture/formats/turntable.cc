#include "capture/formats/turntable.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/text.h"
#include "capture/formats/capture_images.h"
#include "io/image/image_file.h"
#include "io/image/image_folder.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

constexpr double kPhoneFieldOfViewDeg = 69.4;  ///< a focal length of 26 mm on a film of 36 mm
constexpr double kRadiansPerDegree = std::numbers::pi / 180;

void check(const Turntable& turntable) {
  if (!(std::abs(turntable.elevation_deg) < 90)) {
    throw UsageError(fmt::format("turntable: elevation is {} degrees; expected more than -90 and less than 90",
                                 turntable.elevation_deg));
  }
  const double field_of_view = turntable.field_of_view_deg.value_or(kPhoneFieldOfViewDeg);
  if (!(field_of_view > 0 && field_of_view < 180)) {
    throw UsageError(
        fmt::format("turntable: field of view is {} degrees; expected more than 0 and less than 180", field_of_view));
  }
}

Lens lens_of(const ImageSize& size, double field_of_view_deg) {
  const double half = std::max(size.width, size.height) / 2.0;
  const double focal_length = half / std::tan(field_of_view_deg / 2 * kRadiansPerDegree);
  return {.fx = focal_length, .fy = focal_length, .cx = size.width / 2.0, .cy = size.height / 2.0};
}

/// cam_from_source of a camera at distance 1 that looks at the origin without roll. Seen from above, which is against
/// +y, the azimuth grows clockwise from +x to +z.
Eigen::Matrix3d rotation_at(double azimuth, double elevation) {
  const Eigen::Vector3d from_origin(std::cos(elevation) * std::cos(azimuth), std::sin(elevation),
                                    std::cos(elevation) * std::sin(azimuth));
  const Eigen::Vector3d forward = -from_origin;
  const Eigen::Vector3d right = forward.cross(Eigen::Vector3d::UnitY()).normalized();
  Eigen::Matrix3d rotation;
  rotation << right.transpose(), forward.cross(right).transpose(), forward.transpose();
  return rotation;
}

}  // namespace

Capture read_turntable(const fs::path& folder, const Turntable& turntable) {
  check(turntable);
  const std::vector<fs::path> files = list_images(folder);
  Capture capture;
  capture.kind = "turntable";
  capture.where = display(folder);
  capture.up = Eigen::Vector3d::UnitY();
  if (!turntable.field_of_view_deg) {
    capture.notes.push_back(
        fmt::format("{}: the field of view is taken as {} degrees along the longer side, as of a phone's main camera",
                    capture.where, kPhoneFieldOfViewDeg));
  }
  ImageSize first;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const ImageSize size = read_image_size(files[i]);
    if (i == 0) first = size;
    if (size != first) {
      throw InputError(fmt::format("{}: has {}x{} pixels, and {} has {}x{}; expected one camera for all photographs",
                                   display(files[i]), size.width, size.height, display(files[0].filename()),
                                   first.width, first.height));
    }
    // Where the table turns counter-clockwise, the camera moves clockwise around the object.
    const double turn = (turntable.clockwise ? -2 : 2) * std::numbers::pi;
    const double azimuth = turn * static_cast<double>(i) / static_cast<double>(files.size());
    capture.photographs.push_back({.image = files[i],
                                   .mask = {},
                                   .lens = lens_of(size, turntable.field_of_view_deg.value_or(kPhoneFieldOfViewDeg)),
                                   .width = size.width,
                                   .height = size.height,
                                   .rotation = rotation_at(azimuth, turntable.elevation_deg * kRadiansPerDegree),
                                   .translation = Eigen::Vector3d::UnitZ(),
                                   .upright = true,
                                   .name = files[i].filename().string()});
  }
  return finished(std::move(capture), {});
}

}  // namespace p2mpp
