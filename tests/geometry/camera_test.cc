#include "p2mpp/camera.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "geometry/not_finite.h"
#include "p2mpp/error.h"
#include "support/temporary_folder.h"

namespace p2mpp {
namespace {

using testing::kInfinity;
using testing::kNan;

std::vector<CameraRow> random_rows(int count) {
  std::mt19937 generator(11);
  std::uniform_real_distribution<float> azimuth(-720, 720), elevation(-90, 90), distance(0.1f, 9);
  std::vector<CameraRow> rows;
  rows.reserve(static_cast<std::size_t>(count) + 6);
  for (int i = 0; i < count; ++i) {
    rows.push_back({.azimuth_deg = azimuth(generator),
                    .elevation_deg = elevation(generator),
                    .in_plane_rotation_deg = 0,
                    .distance = distance(generator),
                    .field_of_view_deg = 25});
  }
  for (const float pole : {-90.0f, 90.0f}) rows.push_back({30, pole, 0, 1.5f, 25});
  for (const float side : {0.0f, 90.0f, 180.0f, 360.0f}) rows.push_back({side, 0, 0, 1, 25});
  return rows;
}

Eigen::Vector3d random_point(std::mt19937& generator) {
  std::uniform_real_distribution<double> coordinate(-2, 2);
  return {coordinate(generator), coordinate(generator), coordinate(generator)};
}

TEST(Camera, FollowsThePublishedFormulas) {
  std::mt19937 generator(12);
  for (const CameraRow& row : random_rows(500)) {
    const double t = row.azimuth_deg * std::numbers::pi / 180;
    const double e = row.elevation_deg * std::numbers::pi / 180;
    const double camy = row.distance * std::sin(e), lens = row.distance * std::cos(e);
    const Eigen::Vector3d z(lens * std::cos(t), camy, lens * std::sin(t));
    const Eigen::Vector3d y(camy * std::cos(t + std::numbers::pi), lens, camy * std::sin(t + std::numbers::pi));
    const Camera camera = camera_from_row(row);
    EXPECT_LT((camera.rotation * camera.rotation.transpose() - Eigen::Matrix3d::Identity()).norm(), 1e-13);
    EXPECT_NEAR(camera.rotation.determinant(), 1, 1e-14);
    EXPECT_LT((camera.origin - z).norm(), 1e-14 * row.distance);
    EXPECT_LT((camera.rotation.row(1).transpose() - y / y.norm()).norm(), 1e-13);
    EXPECT_LT((camera.rotation.row(2).transpose() - z / z.norm()).norm(), 1e-14);
    const Eigen::Vector3d centre = camera.cam_from_world(Eigen::Vector3d::Zero());
    EXPECT_LT((centre - Eigen::Vector3d(0, 0, -double{row.distance})).norm(), 1e-13);
    EXPECT_NEAR(project(centre, camera.intrinsics).row, 112, 1e-10);
    EXPECT_NEAR(project(centre, camera.intrinsics).column, 112, 1e-10);
    const Eigen::Vector3d point = random_point(generator);
    EXPECT_LT((camera.world_from_cam(camera.cam_from_world(point)) - point).norm(), 1e-13);
  }
}

TEST(Camera, StaysFiniteAtExtremeDistances) {
  for (const float distance :
       {std::numeric_limits<float>::denorm_min(), 1e-30f, 1e30f, std::numeric_limits<float>::max()}) {
    const Camera camera = camera_from_row({33, 21, 0, distance, 25});
    EXPECT_NEAR(camera.rotation.determinant(), 1, 1e-14) << distance;
  }
}

TEST(Camera, RefusesABadRow) {
  const CameraRow good{250.5f, 29.5f, 0, 0.652f, 25};
  EXPECT_NO_THROW(check_camera(good));
  for (const float value : {kNan, -kNan}) {
    EXPECT_REFUSED(check_camera(CameraRow{value, 29, 0, 1, 25}), "azimuth is nan; expected a finite number");
  }
  EXPECT_REFUSED(check_camera(CameraRow{1, kInfinity, 0, 1, 25}), "elevation is inf; expected a finite number");
  EXPECT_REFUSED(check_camera(CameraRow{1, 2, -kInfinity, 1, 25}),
                 "in-plane rotation is -inf; expected a finite number");
  EXPECT_REFUSED(check_camera(CameraRow{1, 2, 0, kInfinity, 25}), "distance is inf; expected a finite number");
  EXPECT_REFUSED(check_camera(CameraRow{1, 2, 0, 1, kNan}), "field of view is nan; expected a finite number");
  EXPECT_REFUSED(check_camera(CameraRow{1, 2, 0, 0, 25}), "distance is 0; expected a positive number");
  EXPECT_REFUSED(check_camera(CameraRow{1, 2, 0, -0.5f, 25}), "distance is -0.5; expected a positive number");
  EXPECT_REFUSED(camera_from_row({1, 2, 0, 0, 25}), "distance is 0; expected a positive number");
}

TEST(Project, FollowsTheIntrinsics) {
  const Pixel pixel = project({0.1, 0.2, -0.8}, {.fx = 300, .fy = 200, .cx = 100, .cy = 120});
  EXPECT_DOUBLE_EQ(pixel.row, 120 - 200 * 0.2 / 0.8);
  EXPECT_DOUBLE_EQ(pixel.column, 100 + 300 * 0.1 / 0.8);
}

TEST(Camera, RefusesABadPinhole) {
  const Camera good = camera_from_row({250.5f, 29.5f, 0, 0.652f, 25});
  EXPECT_NO_THROW(check_camera(good));
  const auto problem_with = [&good](const auto& damage) {
    Camera camera = good;
    damage(camera);
    return message_of<InputError>([&] { check_camera(camera); });
  };
  constexpr double kNot = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(problem_with([](Camera& camera) { camera.origin.y() = kNot; }),
            "the centre is not finite; expected three numbers");
  EXPECT_EQ(problem_with([](Camera& camera) { camera.rotation(1, 2) = kNot; }),
            "the rotation is not finite; expected nine numbers");
  EXPECT_EQ(problem_with([](Camera& camera) { camera.rotation *= 1.01; }).substr(0, 34),
            "the rotation is not orthonormal: a");
  EXPECT_EQ(problem_with([](Camera& camera) { camera.rotation.row(0) *= -1; }),
            "the rotation is a reflection: its determinant is -1; expected 1");
  EXPECT_EQ(problem_with([](Camera& camera) { camera.intrinsics.fx = 0; }), "fx is 0; expected a positive number");
  EXPECT_EQ(problem_with([](Camera& camera) { camera.intrinsics.fy = -248; }),
            "fy is -248; expected a positive number");
  EXPECT_EQ(problem_with([](Camera& camera) { camera.intrinsics.cx = kNot; }), "cx is nan; expected a finite number");
  Camera rounded = good;
  rounded.rotation = good.rotation.cast<float>().cast<double>();
  EXPECT_NO_THROW(check_camera(rounded));
}

TEST(Project, StaysInTheImage) {
  std::mt19937 generator(13);
  for (int i = 0; i < 2000; ++i) {
    const Pixel pixel = project(random_point(generator), {});
    for (const double position : {pixel.row, pixel.column}) {
      EXPECT_GE(position, 0);
      EXPECT_LE(position, 223);
    }
  }
}

TEST(Project, IsDefinedInTheCamerasOwnPlane) {
  const Pixel centre = project({0, 0, 0}, {});
  EXPECT_EQ(centre.row, 0);
  EXPECT_EQ(centre.column, 0);
  const Pixel side = project({1, 1, -0.0}, {});
  EXPECT_EQ(side.row, 0);
  EXPECT_EQ(side.column, 223);
}

}  // namespace
}  // namespace p2mpp
