#include "capture/frame/up_direction.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <random>

#include "base/numbers/random.h"
#include "geometry/angles.h"
#include "support/messages.h"

namespace p2mpp {
namespace {

/// Cameras around the origin that look at it; y is up. `roll`: of the photographs, as they are stored.
Capture ring(int count, double elevation_deg, double roll_deg, double arc_deg = 360) {
  Capture capture;
  for (int i = 0; i < count; ++i) {
    const double azimuth = arc_deg * i / count * kRadiansPerDegree;
    const double elevation = (elevation_deg + (arc_deg < 360 ? 12 * (i % 3) : 0)) * kRadiansPerDegree;
    const Eigen::Vector3d centre(std::cos(elevation) * std::cos(azimuth), std::sin(elevation),
                                 std::cos(elevation) * std::sin(azimuth));
    Eigen::Matrix3d rotation;
    const Eigen::Vector3d forward = -centre, right = forward.cross(Eigen::Vector3d::UnitY()).normalized();
    rotation << right.transpose(), forward.cross(right).transpose(), forward.transpose();
    const Eigen::AngleAxisd roll((roll_deg + 2 * (i % 3 - 1)) * kRadiansPerDegree, Eigen::Vector3d::UnitZ());
    Photograph photograph;
    photograph.cam_from_source = rigid_from_centre(roll.toRotationMatrix() * rotation, centre);
    capture.photographs.push_back(photograph);
  }
  return capture;
}

double off_deg(const UpDirection& up) { return std::acos(std::clamp(up.direction.y(), -1.0, 1.0)) / kRadiansPerDegree; }

TEST(UpFromCameras, IsFoundForEveryWayOfStoringPhotographs) {
  for (const double roll : {0.0, 90.0, -90.0}) {
    EXPECT_LT(off_deg(up_from_cameras(ring(12, 15, roll).photographs)), 3) << roll;
    // One side, three heights: the mean of upright cameras leans to this side.
    EXPECT_LT(off_deg(up_from_cameras(ring(20, 20, roll, 120).photographs)), roll == 0 ? 30 : 5) << roll;
  }
  std::vector<Photograph> photographs = ring(16, 30, 0).photographs;
  photographs[3] = ring(16, 30, 90).photographs[3];
  EXPECT_LT(off_deg(up_from_cameras(photographs)), 1) << "one of them is a portrait";
  photographs.resize(1);
  EXPECT_TRUE(up_from_cameras(photographs).direction.allFinite());
}

TEST(UpOf, IsTheCapturesUnlessItsCamerasContradict) {
  Capture capture = ring(12, 20, 0);
  EXPECT_EQ(find_up(capture).origin, "the ring of cameras");
  capture.up = Eigen::Vector3d(0.1, 1, 0);
  EXPECT_EQ(find_up(capture).origin, "the capture's");
  EXPECT_TRUE(find_up(capture).doubt.empty());
  for (const Eigen::Vector3d& wrong : {Eigen::Vector3d(0, -1, 0), Eigen::Vector3d(0, 0, 1)}) {
    capture.up = wrong;
    EXPECT_LT(off_deg(find_up(capture)), 1);
    EXPECT_HOLDS(find_up(capture).doubt, "the second is used: give --up X,Y,Z if");
  }
  capture.up_is_measured = true;
  EXPECT_EQ(find_up(capture).direction, Eigen::Vector3d(0, 0, 1));
  EXPECT_HOLDS(find_up(capture).doubt, "the first is used");
}

/// Points of an object of about 0.5 around the origin, and of the ground below it.
std::vector<Eigen::Vector3d> standing_object(std::mt19937_64& random, std::size_t on_object, std::size_t on_ground) {
  constexpr double kNoise = 0.001, kGround = -0.25;
  const auto draw = [&](double least, double most) { return least + (most - least) * draw_unit(random); };
  std::vector<Eigen::Vector3d> points;
  for (std::size_t i = 0; i < on_object; ++i) {
    const Eigen::Vector3d direction = Eigen::Vector3d(draw(-1, 1), draw(-1, 1), draw(-1, 1)).normalized();
    points.emplace_back(0.25 * direction);
  }
  for (std::size_t i = 0; i < on_ground; ++i) {
    points.emplace_back(draw(-0.5, 0.5), kGround + draw(-kNoise, kNoise), draw(-0.5, 0.5));
  }
  return points;
}

TEST(UpOf, IsThatOfTheGroundPlaneHoweverTheCamerasAreHeld) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 random(seed);
    Capture capture = ring(3, 25, 12);
    EXPECT_GT(off_deg(find_up(capture)), 3);
    capture.points = standing_object(random, 40, 25);
    EXPECT_LT(off_deg(find_up(capture)), 0.3) << seed;
    EXPECT_EQ(find_up(capture).origin, "the ground plane in the points");
  }
}

TEST(GroundNormal, IsRefusedForWhatIsNotTheGround) {
  std::mt19937_64 random(1);
  const Eigen::Vector3d up = Eigen::Vector3d::UnitY();
  Capture capture = ring(12, 25, 0);
  EXPECT_FALSE(ground_normal(capture, up)) << "without points";
  capture.points = standing_object(random, 300, 0);
  EXPECT_FALSE(ground_normal(capture, up)) << "a ball";
  capture.points = standing_object(random, 40, 100);
  EXPECT_TRUE(ground_normal(capture, up));
  for (Eigen::Vector3d& point : capture.points) point.y() = -point.y();
  EXPECT_FALSE(ground_normal(capture, up)) << "a ceiling: the object is below it";
  for (Eigen::Vector3d& point : capture.points) std::swap(point.x(), point.y());
  EXPECT_FALSE(ground_normal(capture, up)) << "a wall";
}

}  // namespace
}  // namespace p2mpp
