#include "cameras/capture.h"

#include <Eigen/Geometry>
#include <cmath>

namespace p2mpp {
namespace {

constexpr double kFarFromZero = 100;  ///< times the extent of the cameras' centres

void move_pose(Rigid3& cam_from_source, const Eigen::Vector3d& origin) {
  cam_from_source.translation += cam_from_source.rotation * origin;
}

}  // namespace

Eigen::Vector3d far_origin(const Capture& capture) {
  Eigen::AlignedBox3d box;
  for (const Photograph& photograph : capture.photographs) box.extend(photograph.centre());
  const double extent = capture.photographs.empty() ? 0 : box.sizes().maxCoeff();
  if (!(extent > 0) || box.center().cwiseAbs().maxCoeff() < kFarFromZero * extent) return Eigen::Vector3d::Zero();
  const double grid = std::exp2(std::ceil(std::log2(extent)));  // few digits: what is moved there and back stays exact
  return (box.center() / grid).array().round() * grid;
}

void move_origin(Capture& capture, const Eigen::Vector3d& origin) {
  for (Photograph& photograph : capture.photographs) move_pose(photograph.cam_from_source, origin);
  for (Eigen::Vector3d& point : capture.points) point -= origin;
  for (PoseAlternative& alternative : capture.alternatives) {
    for (Rigid3& pose : alternative.cam_from_source) move_pose(pose, origin);
  }
}

}  // namespace p2mpp
