#include "cameras/pose_alternatives.h"

#include <Eigen/Geometry>

namespace p2mpp {
namespace {

/// The rotation of a quaternion x y z w that was read as w x y z.
Eigen::Matrix3d with_last_as_first(const Eigen::Matrix3d& rotation) {
  const Eigen::Quaterniond read(rotation);
  return Eigen::Quaterniond(read.z(), read.w(), read.x(), read.y()).toRotationMatrix();
}

template <typename Changed>
void add_alternative(const char* mistake, const Changed& changed, Capture& capture) {
  PoseAlternative alternative{mistake, {}};
  for (const Photograph& photograph : capture.photographs) {
    alternative.cam_from_source.push_back(changed(photograph.cam_from_source));
  }
  capture.alternatives.push_back(std::move(alternative));
}

}  // namespace

void add_other_angles(Capture& capture) {
  const auto other = [](const Rigid3& pose) {
    const Eigen::Matrix3d rotation =
        Eigen::Vector3d(1, -1, 1).asDiagonal() * pose.rotation * Eigen::Vector3d(1, 1, -1).asDiagonal();
    return rigid_from_centre(rotation, inverse(pose).translation);
  };
  add_alternative("pitch and roll have the other sign, as some programs write them", other, capture);
  capture.alternatives.back().is_convention = true;
}

void add_pose_alternatives(Capture& capture) {
  const auto add = [&](const char* mistake, const auto& changed) { add_alternative(mistake, changed, capture); };
  add("each camera is turned by 180 degrees about its x axis: are these OpenGL's axes (y up, z backwards) where "
      "OpenCV's "
      "(y down, z forward) are expected, or the other way round?",
      [](const Rigid3& pose) { return flip_y_and_z(pose); });
  add("each pose is inverted: are these poses from the world to the camera where those from the camera to the world "
      "are "
      "expected, or the other way round?",
      [](const Rigid3& pose) { return inverse(pose); });
  add("each pose is inverted and its camera turned by 180 degrees about its x axis: does the file have poses from the "
      "world to the camera where OpenGL's poses from the camera to the world are expected?",
      [](const Rigid3& pose) { return flip_y_and_z(inverse(flip_y_and_z(pose))); });
  add("each quaternion is read as x y z w: are they written as x y z w where w x y z is expected?",
      [](const Rigid3& pose) {
        return Rigid3{with_last_as_first(pose.rotation), pose.translation};
      });
  add("the object is behind all cameras and their axes are reversed: are the matrices left-handed (a projection K "
      "[R|t] of "
      "the other sign)? Expected rotations with the determinant 1",
      [](const Rigid3& pose) {
        return Rigid3{-pose.rotation, -pose.translation};
      });
}

}  // namespace p2mpp
