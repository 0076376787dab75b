#include "geometry/rigid3.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

namespace p2mpp {
namespace {

const Rigid3 kPose{Eigen::AngleAxisd(0.7, Eigen::Vector3d(1, 2, 3).normalized()).toRotationMatrix(), {0.1, -0.2, 0.9}};
const Rigid3 kOther{Eigen::AngleAxisd(-1.2, Eigen::Vector3d(0, 1, 1).normalized()).toRotationMatrix(), {2, 1, 0}};
const Eigen::Vector3d kPoint(0.3, -1, 2);

TEST(Rigid3, ComposesAndInverts) {
  EXPECT_TRUE(((kOther * kPose) * kPoint).isApprox(kOther * (kPose * kPoint), 1e-12));
  EXPECT_TRUE((inverse(kPose) * (kPose * kPoint)).isApprox(kPoint, 1e-12));
  EXPECT_EQ(Rigid3() * kPoint, kPoint);
  const Rigid3 pose = rigid_from_centre(kPose.rotation, kPoint);
  EXPECT_LT((pose * kPoint).norm(), 1e-12);
  EXPECT_TRUE(inverse(pose).translation.isApprox(kPoint, 1e-12));
}

TEST(Rigid3, IsTheCamerasInEitherAxes) {
  const Camera camera{kPose.rotation, {0.5, 0.6, 0.7}, {}};
  const Eigen::Vector3d seen = cam_from_world(camera) * kPoint;
  EXPECT_TRUE(seen.isApprox(camera.cam_from_world(kPoint), 1e-12));
  const Rigid3 flipped = flip_y_and_z(cam_from_world(camera));
  EXPECT_TRUE((flipped * kPoint).isApprox(Eigen::Vector3d(seen.x(), -seen.y(), -seen.z()), 1e-12));
  EXPECT_EQ(flip_y_and_z(flipped).rotation, camera.rotation);
}

}  // namespace
}  // namespace p2mpp
