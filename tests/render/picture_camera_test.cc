#include "render/picture_camera.h"

#include <gtest/gtest.h>

#include <numbers>

#include "render/drawing.h"

namespace p2mpp {
namespace {

void expect_projected(const Camera& camera) {
  const PictureCamera picture = view_camera(camera);
  for (const Eigen::Vector3f& point : ball(0.2F, {0.02F, -0.03F, 0.01F}, 1).vertices) {
    const Pixel pixel = project(camera.cam_from_world(point.cast<double>()), camera.intrinsics);
    const PictureCamera::Place place = picture.place(point);
    EXPECT_NEAR(place.x * kImageSize, pixel.column, 1e-4);
    EXPECT_NEAR(place.y * kImageSize, pixel.row, 1e-4);
    const Eigen::Vector3d to = point.cast<double>() - camera.origin;
    EXPECT_GT(picture.direction(place.x, place.y).normalized().cast<double>().dot(to.normalized()), 1 - 1e-6);
  }
}

TEST(PictureCamera, SeesAsTheNetworkProjects) {
  Camera camera = camera_from_row({.azimuth_deg = 250.5F, .elevation_deg = 29.5F, .distance = 0.65F});
  expect_projected(camera);
  camera.intrinsics = {.fx = 200, .fy = 270, .cx = 96, .cy = 121};
  expect_projected(camera);
}

TEST(PictureCamera, DirectionsLeadToWhereThingsAre) {
  const PictureCamera camera = framing_camera(ball(1).vertices, {}, 1.5);
  for (const Eigen::Vector3f& point : ball(1, {0, 0, 0}, 1).vertices) {
    const PictureCamera::Place place = camera.place(point);
    const Eigen::Vector3f to = point - camera.pose.origin.cast<float>();
    EXPECT_GT(camera.direction(place.x, place.y).normalized().dot(to.normalized()), 1 - 1e-5F);
  }
}

struct Extent {
  double left = 1, right = 0, top = 1, bottom = 0;
};

Extent extent_of(const Points& points, const PictureCamera& camera) {
  Extent extent;
  for (const Eigen::Vector3f& point : points) {
    const PictureCamera::Place place = camera.place(point);
    EXPECT_GT(place.depth, 0);
    extent.left = std::min(extent.left, place.x);
    extent.right = std::max(extent.right, place.x);
    extent.top = std::min(extent.top, place.y);
    extent.bottom = std::max(extent.bottom, place.y);
  }
  return extent;
}

TEST(FramingCamera, FillsThePictureAndCentres) {
  Points points = ball(1, {7, -3, 2}).vertices;
  for (Eigen::Vector3f& point : points) point.x() *= 2;
  for (const double aspect : {0.5, 1.0, 2.0}) {
    for (const double elevation : {-80.0, 0.0, 25.0, 90.0}) {
      const Extent extent =
          extent_of(points, framing_camera(points, {.azimuth_deg = 70, .elevation_deg = elevation}, aspect));
      EXPECT_NEAR(extent.left + extent.right, 1, 0.02);
      EXPECT_NEAR(extent.top + extent.bottom, 1, 0.02);
      EXPECT_NEAR(std::max(extent.right - extent.left, extent.bottom - extent.top), 0.86, 0.03);
    }
  }
}

TEST(FramingCamera, KeepsADistanceAndCopesWithASinglePoint) {
  const PictureCamera camera = framing_camera(ball(1, {5, 0, 0}).vertices, {.distance = 12}, 1);
  EXPECT_NEAR((camera.pose.origin - Eigen::Vector3d(5, 0, 0)).norm(), 12, 1e-5);
  const PictureCamera::Place place = framing_camera({{1, 2, 3}}, {}, 1).place({1, 2, 3});
  EXPECT_NEAR(place.x, 0.5, 1e-3);
  EXPECT_GT(place.depth, 0);
}

TEST(TurntableCameras, TurnInEqualStepsAtOneDistance) {
  Points points = ball(1, {1, 1, 1}).vertices;
  for (Eigen::Vector3f& point : points) point.z() *= 3;
  const std::vector<PictureCamera> cameras = turntable_cameras(points, {.elevation_deg = 20}, 1, 8);
  ASSERT_EQ(cameras.size(), 8U);
  const Eigen::Vector3d middle(1, 1, 3);
  const double distance = (cameras[0].pose.origin - middle).norm();
  for (std::size_t i = 0; i < cameras.size(); ++i) {
    const Eigen::Vector3d from = cameras[i].pose.origin - middle;
    EXPECT_NEAR(from.norm(), distance, 1e-5);
    EXPECT_NEAR(from.y(), cameras[0].pose.origin.y() - 1, 1e-5);
    const double angle = std::atan2(from.z(), from.x()) * 180 / std::numbers::pi;
    EXPECT_NEAR(std::remainder(angle - (35 + 45.0 * static_cast<double>(i)), 360), 0, 1e-3);
    const Extent extent = extent_of(points, cameras[i]);
    EXPECT_GE(std::min({extent.left, extent.top, 1 - extent.right, 1 - extent.bottom}), 0.05);
  }
}

}  // namespace
}  // namespace p2mpp
