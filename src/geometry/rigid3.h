#pragma once

#include <Eigen/Core>

#include "p2mpp/camera.h"

namespace p2mpp {

/// A rotation and a translation. A variable b_from_a takes points of frame a to frame b.
struct Rigid3 {
  Eigen::Matrix3d rotation = Eigen::Matrix3d::Identity();
  Eigen::Vector3d translation = Eigen::Vector3d::Zero();

  [[nodiscard]] Eigen::Vector3d operator*(const Eigen::Vector3d& point) const { return rotation * point + translation; }
};

/// c_from_a of c_from_b and b_from_a.
[[nodiscard]] inline Rigid3 operator*(const Rigid3& c_from_b, const Rigid3& b_from_a) {
  return {c_from_b.rotation * b_from_a.rotation, c_from_b * b_from_a.translation};
}

/// a_from_b of b_from_a. Its translation is the origin of b in a: a camera's centre.
[[nodiscard]] inline Rigid3 inverse(const Rigid3& b_from_a) {
  return {b_from_a.rotation.transpose(), -(b_from_a.rotation.transpose() * b_from_a.translation)};
}

/// cam_from_world of a camera with this rotation and this centre in the world.
[[nodiscard]] inline Rigid3 rigid_from_centre(const Eigen::Matrix3d& rotation, const Eigen::Vector3d& centre) {
  return {rotation, -(rotation * centre)};
}

/// In the axes of Camera.
[[nodiscard]] inline Rigid3 cam_from_world(const Camera& camera) {
  return rigid_from_centre(camera.rotation, camera.origin);
}

/// cam_from_world with a camera's other axes. Camera and OpenGL have y up and look along -z. OpenCV, COLMAP and lenses
/// have y down and look along z.
[[nodiscard]] inline Eigen::Matrix3d flip_y_and_z(const Eigen::Matrix3d& cam_from_world) {
  return Eigen::Vector3d(1, -1, -1).asDiagonal() * cam_from_world;
}
[[nodiscard]] inline Rigid3 flip_y_and_z(const Rigid3& cam_from_world) {
  return {flip_y_and_z(cam_from_world.rotation), Eigen::Vector3d(1, -1, -1).asDiagonal() * cam_from_world.translation};
}

}  // namespace p2mpp
