#include "render/mesh_frame.h"

#include <Eigen/Geometry>
#include <algorithm>

namespace p2mpp {

bool is_in_front_of_camera(const Points& points) {
  constexpr float kLargestTangent = 0.25F;  // 14 degrees; half of the network's field of view is 24
  Eigen::AlignedBox3f box;
  for (const Eigen::Vector3f& point : points) box.extend(point);
  const Eigen::Vector3f middle = box.center();
  return box.max().z() < 0 && middle.head<2>().norm() <= kLargestTangent * -middle.z();
}

float object_size(const Points& points) {
  constexpr float kLeastShare = 1e-6F, kShareOfPoint = 1e-3F, kLeast = 1e-6F;
  Eigen::AlignedBox3f box;
  for (const Eigen::Vector3f& point : points) box.extend(point);
  const float farthest = std::max(box.min().cwiseAbs().maxCoeff(), box.max().cwiseAbs().maxCoeff());
  const float diagonal = box.diagonal().norm();
  return std::max({diagonal, (diagonal > 0 ? kLeastShare : kShareOfPoint) * farthest, kLeast});
}

float point_radius(const TriangleMesh& mesh) {
  constexpr float kShare = 0.008F;
  return mesh.triangles.empty() ? kShare * object_size(mesh.vertices) : 0;
}

Points world_from_camera(const Points& points, const Camera& camera) {
  Points world;
  world.reserve(points.size());
  for (const Eigen::Vector3f& point : points)
    world.push_back(camera.world_from_cam(point.cast<double>()).cast<float>());
  return world;
}

}  // namespace p2mpp
