#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <utility>

#include "check/sample_check.h"
#include "geometry/angles.h"
#include "image/network_frame.h"
#include "image/viewpoint.h"

namespace p2mpp {
namespace {

constexpr double kDegrees = 10;
constexpr double kShare = 0.1;
constexpr std::size_t kFewViews = 5;  // of more, single ones are not tried: each try costs a hull or a network

// Gives azimuths the other sign: mirrors the cameras in the vertical plane of the x axis, so that the object's box
// keeps its axes. A mirrored camera would be left-handed. With its x axis reversed, it is a camera that looks the same
// way from the mirrored place.
std::vector<Camera> mirrored(std::vector<Camera> cameras) {
  const Eigen::Matrix3d mirror = Eigen::Vector3d(1, 1, -1).asDiagonal();
  for (Camera& camera : cameras) {
    camera.origin = mirror * camera.origin;
    camera.rotation = camera.rotation * mirror;
    camera.rotation.row(0) *= -1;
  }
  return cameras;
}

// Turns a camera about an axis through the world's origin.
void turn_about(Camera& camera, double degrees, const Eigen::Vector3d& axis) {
  const Eigen::Matrix3d rotation = Eigen::AngleAxisd(degrees * kRadiansPerDegree, axis.normalized()).toRotationMatrix();
  camera.origin = rotation * camera.origin;
  camera.rotation = camera.rotation * rotation.transpose();
}

}  // namespace

std::vector<CameraHypothesis> order_hypotheses(const Sample& sample) {
  const std::vector<Camera> given = view_cameras(sample);
  std::vector<CameraHypothesis> hypotheses = {{"azimuths turn the other way", mirrored(given)}};
  const bool few = given.size() <= kFewViews;
  for (std::size_t i = 0; few && i < given.size(); ++i) {
    for (std::size_t j = i + 1; j < given.size(); ++j) {
      CameraHypothesis exchanged{
          fmt::format("the cameras of {} and {} are exchanged", view_label(sample, i), view_label(sample, j)), given};
      std::swap(exchanged.cameras[i], exchanged.cameras[j]);
      hypotheses.push_back(std::move(exchanged));
    }
  }
  for (std::size_t shift = 1; given.size() > 2 && shift < given.size(); ++shift) {
    if (!few && shift > 1 && shift + 1 < given.size()) continue;
    CameraHypothesis shifted{
        fmt::format("{} has the first camera, and the others follow", view_label(sample, given.size() - shift)), given};
    // Not std::ranges::rotate: clang 14 cannot compile the subrange that it returns with libstdc++ 12.
    std::rotate(shifted.cameras.begin(), shifted.cameras.begin() + static_cast<std::ptrdiff_t>(shift),
                shifted.cameras.end());
    hypotheses.push_back(std::move(shifted));
  }
  return hypotheses;
}

std::vector<CameraHypothesis> number_hypotheses(const Sample& sample) {
  const std::vector<Camera> given = view_cameras(sample);
  std::vector<CameraHypothesis> hypotheses;
  for (const double sign : {1.0, -1.0}) {
    CameraHypothesis higher{fmt::format("all elevations {:+.0f} degrees", sign * kDegrees), given};
    CameraHypothesis farther{fmt::format("all distances {:+.0f}%", sign * 100 * kShare), given};
    for (Camera& camera : higher.cameras) {
      // A camera rises if it turns about its own x axis, which points to the right, from y to z.
      turn_about(camera, -sign * kDegrees, camera.rotation.row(0).transpose());
    }
    for (Camera& camera : farther.cameras) camera.origin *= 1 + sign * kShare;
    hypotheses.push_back(std::move(higher));
    hypotheses.push_back(std::move(farther));
    for (std::size_t i = 1; given.size() <= kFewViews && i < given.size(); ++i) {
      CameraHypothesis turned{fmt::format("the azimuth of {} {:+.0f} degrees", view_label(sample, i), sign * kDegrees),
                              given};
      // Azimuths grow from x towards z, against the right-hand rule about y.
      turn_about(turned.cameras[i], -sign * kDegrees, Eigen::Vector3d::UnitY());
      hypotheses.push_back(std::move(turned));
    }
  }
  return hypotheses;
}

Sample with_cameras(Sample sample, const CameraHypothesis& hypothesis) {
  for (std::size_t i = 0; i < sample.views.size(); ++i) {
    sample.views[i].camera = hypothesis.cameras[i];
    sample.views[i].row.reset();
  }
  sample.network_frame = network_frame_for(hypothesis.cameras.front());
  return sample;
}

}  // namespace p2mpp
