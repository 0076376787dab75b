#include "backends/common/view_transform.h"

#include <Eigen/Core>
#include <limits>

namespace p2mpp {
namespace {

constexpr double kLargestDepthOfNormalised = -0.1;

ViewTransform transform(const Eigen::Matrix3d& rotation, const Eigen::Vector3d& translation, double largest_z) {
  ViewTransform view{};
  Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(view.rotation) = rotation;
  Eigen::Map<Eigen::Vector3d>(view.translation) = translation;
  view.largest_z = largest_z;
  return view;
}

}  // namespace

std::vector<ViewTransform> view_transforms(std::span<const Camera> cameras, const ProjectionRules& rules) {
  std::vector<ViewTransform> views;
  for (const Camera& camera : cameras) {
    if (rules.normalised_origin) {
      views.push_back(
          transform(camera.rotation, camera.rotation * -camera.origin.normalized(), kLargestDepthOfNormalised));
    } else {
      views.push_back(transform(camera.rotation * cameras.front().rotation.transpose(),
                                camera.cam_from_world(cameras.front().origin),
                                std::numeric_limits<double>::infinity()));
    }
  }
  return views;
}

}  // namespace p2mpp
