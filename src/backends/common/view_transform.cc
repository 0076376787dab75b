#include "backends/common/view_transform.h"

#include <Eigen/Core>
#include <limits>

#include "geometry/rigid3.h"

namespace p2mpp {
namespace {

constexpr double kLargestDepthOfNormalised = -0.1;

ViewTransform make_transform(const Rigid3& cam_from_points, double largest_z, const Intrinsics& intrinsics) {
  ViewTransform view{};
  Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(view.rotation) = cam_from_points.rotation;
  Eigen::Map<Eigen::Vector3d>(view.translation) = cam_from_points.translation;
  view.largest_z = largest_z;
  view.fx = intrinsics.fx;
  view.fy = intrinsics.fy;
  view.cx = intrinsics.cx;
  view.cy = intrinsics.cy;
  return view;
}

}  // namespace

SampleCameras cameras_of(const Sample& sample, int stage) {
  SampleCameras cameras{.views = {}, .network = network_frame(sample)};
  for (std::size_t i = 0; i < views_read(sample, stage); ++i) cameras.views.push_back(sample.views[i].camera);
  return cameras;
}

Points initial_vertices(const Sample& sample) {
  Points vertices = sample.initial_mesh->vertices;
  const Camera& network = network_frame(sample);
  for (Eigen::Vector3f& vertex : vertices) vertex = network.cam_from_world(vertex.cast<double>()).cast<float>();
  return vertices;
}

std::vector<ViewTransform> view_transforms(const SampleCameras& cameras, const ProjectionRules& rules) {
  std::vector<ViewTransform> views;
  for (const Camera& camera : cameras.views) {
    if (rules.normalised_origin) {
      views.push_back(make_transform(rigid_from_centre(camera.rotation, camera.origin.normalized()),
                                     kLargestDepthOfNormalised, camera.intrinsics));
    } else {
      const Rigid3 cam_from_network{camera.rotation * cameras.network.rotation.transpose(),
                                    camera.cam_from_world(cameras.network.origin)};
      views.push_back(make_transform(cam_from_network, std::numeric_limits<double>::infinity(), camera.intrinsics));
    }
  }
  return views;
}

}  // namespace p2mpp
