#include "p2mpp/sample.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>

#include "image/viewpoint.h"
#include "p2mpp/error.h"
#include "support/messages.h"
#include "support/pixels.h"

namespace p2mpp {
namespace {

TEST(ViewFromRow, KeepsTheRowAndItsCamera) {
  const CameraRow row{.azimuth_deg = 33, .elevation_deg = 21, .distance = 0.8F};
  const View view = view_from_row(numbered(2, 3, 255), row);
  EXPECT_TRUE(view.padded);
  EXPECT_EQ(view.image.width, 3);
  EXPECT_EQ(view.camera.origin, camera_from_row(row).origin);
  EXPECT_EQ(view.row.value().azimuth_deg, 33);
  EXPECT_FALSE(view_from_row(numbered(3, 3, 255), row).padded);
  EXPECT_THROW(static_cast<void>(view_from_row(numbered(3, 3, 255), {.distance = 0})), InputError);
}

std::string refused(std::vector<Image> images, const auto& cameras) {
  return message_of<InputError>([&] { static_cast<void>(make_sample("chair", std::move(images), cameras)); });
}

TEST(MakeSample, GivesEachImageItsCamera) {
  const std::vector<CameraRow> rows = {{.azimuth_deg = 33, .distance = 0.8F}, {.azimuth_deg = 90, .distance = 0.7F}};
  const Sample of_rows = make_sample("chair", {numbered(2, 3, 255), numbered(4, 4, 0)}, rows);
  EXPECT_EQ(of_rows.id, "chair");
  ASSERT_EQ(of_rows.views.size(), 2U);
  EXPECT_TRUE(of_rows.views[0].padded);
  EXPECT_EQ(of_rows.views[1].image.rgba, numbered(4, 4, 0).rgba);
  EXPECT_EQ(of_rows.views[1].row.value().azimuth_deg, 90);
  const std::vector<Camera> cameras = {camera_from_row(rows[0]), camera_from_row(rows[1])};
  const Sample of_cameras = make_sample("chair", {numbered(3, 3, 255), numbered(4, 4, 0)}, cameras);
  EXPECT_EQ(of_cameras.views[1].camera.origin, of_rows.views[1].camera.origin);
  EXPECT_FALSE(of_cameras.views[1].row.has_value());
}

TEST(MakeSample, PlacesTheObjectAtTheOriginHoweverFarTheCamerasAre) {
  for (const float distance : {0.3F, 0.65F, 0.9F, 2.5F}) {
    const std::vector<Camera> cameras(2,
                                      camera_from_row({.azimuth_deg = 33, .elevation_deg = 21, .distance = distance}));
    const Sample sample = make_sample("chair", {numbered(3, 3, 255), numbered(3, 3, 255)}, cameras);
    const Camera& frame = network_frame(sample);
    EXPECT_NEAR(frame.origin.norm(), std::clamp(double{distance}, 0.65, 0.9), 1e-7);
    EXPECT_LT(frame.origin.normalized().cross(cameras[0].origin.normalized()).norm(), 1e-12);
    EXPECT_EQ(sample.network_frame.has_value(), distance == 0.3F || distance == 2.5F);
  }
}

TEST(MakeSample, NamesWhatCannotBeUsed) {
  const Image image = numbered(3, 3, 255);
  const std::vector<CameraRow> rows(2, {.distance = 0.8F});
  EXPECT_EQ(refused({image}, rows), "1 images and 2 cameras; expected a camera for each image");
  EXPECT_EQ(refused({image}, std::vector<CameraRow>(1, rows[0])), "1 images; expected 2 to 64");
  EXPECT_EQ(refused(std::vector<Image>(65, image), std::vector<CameraRow>(65, rows[0])), "65 images; expected 2 to 64");
  EXPECT_EQ(refused({image, {3, 3, std::vector<std::uint8_t>(27)}}, rows),
            "view 1: image has 27 bytes for 3x3 pixels; expected 4 per pixel");
  EXPECT_EQ(refused({image, image}, std::vector<CameraRow>{rows[0], {.distance = 0}}),
            "view 1: camera: distance is 0; expected a positive number");
  std::vector<Camera> cameras(2, camera_from_row(rows[0]));
  EXPECT_EQ(refused({numbered(3, 2, 255), image}, cameras),
            "view 0: image is 3x2; expected a square (padded_to_square())");
  cameras[1].intrinsics.fx = 0;
  EXPECT_EQ(refused({image, image}, cameras), "view 1: camera: fx is 0; expected a positive number");
}

TEST(Viewpoint, OfACameraIsThatOfItsRow) {
  for (const CameraRow& row : {CameraRow{.azimuth_deg = 33, .elevation_deg = 21, .distance = 0.8F},
                               CameraRow{.azimuth_deg = -120, .elevation_deg = -60, .distance = 2},
                               CameraRow{.azimuth_deg = 0, .elevation_deg = 90, .distance = 1}}) {
    View view = view_from_row(numbered(2, 2, 255), row);
    EXPECT_EQ(find_viewpoint(view).azimuth_deg, static_cast<double>(row.azimuth_deg));
    view.row.reset();
    const Viewpoint viewpoint = find_viewpoint(view);
    EXPECT_NEAR(viewpoint.azimuth_deg, row.azimuth_deg, 1e-4);
    EXPECT_NEAR(viewpoint.elevation_deg, row.elevation_deg, 1e-5);
    EXPECT_NEAR(viewpoint.distance, row.distance, 1e-7);
  }
}

}  // namespace
}  // namespace p2mpp
