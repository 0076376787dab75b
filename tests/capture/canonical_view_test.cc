#include "capture/canonical_view.h"

#include <gtest/gtest.h>

#include "capture/drawn_capture.h"
#include "image/network_frame.h"

namespace p2mpp {
namespace {

/// The photograph that the canonical camera itself would take.
Image direct(const DrawnCapture& drawn, const Camera& camera) {
  Photograph photograph;
  photograph.width = photograph.height = static_cast<int>(kImageSize);
  photograph.lens = {
      .fx = camera.intrinsics.fx, .fy = camera.intrinsics.fy, .cx = camera.intrinsics.cx, .cy = camera.intrinsics.cy};
  Eigen::Matrix3d cam_from_world = camera.rotation;  // y and z point the other way in OpenCV's frame
  cam_from_world.bottomRows<2>() *= -1;
  photograph.cam_from_source = rigid_from_centre(cam_from_world * drawn.source_from_world.rotation.transpose(),
                                                 drawn.source_from_world.transformed(camera.origin));
  return drawn_image(drawn, photograph, 2);
}

/// Mean difference of alpha and of alpha-weighted colours.
double difference(const Image& a, const Image& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.rgba.size(); i += 4) {
    sum += std::abs(a.rgba[i + 3] - b.rgba[i + 3]);
    for (std::size_t channel = 0; channel < 3; ++channel) {
      sum += std::abs(a.rgba[i + channel] * a.rgba[i + 3] / 255.0 - b.rgba[i + channel] * b.rgba[i + 3] / 255.0);
    }
  }
  return sum / static_cast<double>(a.rgba.size());
}

TEST(CanonicalView, IsWhatItsCameraWouldSee) {
  for (const bool fisheye : {false, true}) {
    const DrawnCapture drawn =
        draw_capture(drawn_chair(), {.views = 1, .width = 480, .height = 360, .fisheye = fisheye, .rolled = true}, 17);
    const ObjectMask mask = object_mask(drawn.images[0], "drawn");
    const View view =
        canonical_view(drawn.capture.photographs[0], cut_out(drawn.images[0], mask), drawn.source_from_world);
    EXPECT_EQ(view.image.width, 224);
    EXPECT_FALSE(view.row);
    const Image expected = direct(drawn, view.camera);
    EXPECT_LT(difference(view.image, expected), 1.2) << fisheye;
    // Half a pixel to the side is another picture: the test would see it.
    Camera shifted = view.camera;
    shifted.intrinsics.cx += 0.5;
    EXPECT_GT(difference(view.image, direct(drawn, shifted)), 1.5 * difference(view.image, expected));
  }
}

TEST(CanonicalView, SeesThroughAKnownBackground) {
  const DrawnCapture drawn = draw_capture(drawn_ball(), {.views = 1}, 5);
  Image composed = drawn.images[0];
  constexpr Colour kGreen{20, 250, 60};
  for (std::size_t i = 0; i < composed.rgba.size(); i += 4) {
    const double alpha = composed.rgba[i + 3] / 255.0;
    for (std::size_t channel = 0; channel < 3; ++channel) {
      composed.rgba[i + channel] =
          static_cast<std::uint8_t>(std::lround(alpha * composed.rgba[i + channel] + (1 - alpha) * kGreen[channel]));
    }
    composed.rgba[i + 3] = 255;
  }
  const Photograph& photograph = drawn.capture.photographs[0];
  const View alpha = canonical_view(photograph, cut_out(drawn.images[0], object_mask(drawn.images[0], "drawn")),
                                    drawn.source_from_world);
  const View colour =
      canonical_view(photograph, cut_out(composed, object_mask(composed, "drawn")), drawn.source_from_world);
  EXPECT_LT(difference(alpha.image, colour.image), 0.5);
}

TEST(CanonicalCamera, LooksAtTheOriginFromAnyDistance) {
  const DrawnCapture drawn = draw_capture(drawn_ball(), {.views = 6, .width = 8, .height = 8}, 5);
  for (const Photograph& photograph : drawn.capture.photographs) {
    const Camera camera = canonical_camera(photograph, drawn.source_from_world);
    const double distance = camera.origin.norm();
    EXPECT_LT((camera.cam_from_world(Eigen::Vector3d::Zero()) - Eigen::Vector3d(0, 0, -distance)).norm(), 1e-9);
    EXPECT_NEAR(camera.rotation(0, 1), 0, 1e-12) << "no roll";
    EXPECT_NEAR(camera.intrinsics.fx, 248 * distance / 0.9, 1e-9);
    EXPECT_NO_THROW(check_camera(camera));
    const Camera frame = network_frame_for(camera);
    EXPECT_NEAR(frame.origin.norm(), 0.9, 1e-12);
    EXPECT_EQ(frame.rotation, camera.rotation);
  }
  Photograph above = drawn.capture.photographs[0];  // straight above
  Rigid3& pose = above.cam_from_source;
  pose.rotation << 1, 0, 0, 0, 0, 1, 0, -1, 0;
  pose = rigid_from_centre(pose.rotation, {0, 0.7, 0});
  const Camera camera = canonical_camera(above, {});
  EXPECT_NO_THROW(check_camera(camera));
  EXPECT_NEAR(camera.intrinsics.fx, 248, 1e-9);
  pose.translation.setZero();
  EXPECT_ANY_THROW(static_cast<void>(canonical_camera(above, {})));
}

TEST(CutOut, HasEveryPixelWithCoverage) {
  Image image{5, 4, {}};
  for (std::uint8_t value = 0; value < 80; ++value) image.rgba.push_back(value);
  ObjectMask mask{{5, 4, std::vector<std::uint8_t>(20)}, Colour{1, 2, 3}, "alpha"};
  mask.mask.coverage[7] = 1;     // row 1, column 2
  mask.mask.coverage[13] = 255;  // row 2, column 3
  const Cutout part = cut_out(image, mask);
  EXPECT_EQ(part.left, 2);
  EXPECT_EQ(part.top, 1);
  EXPECT_EQ(part.mask.mask.coverage, (std::vector<std::uint8_t>{1, 0, 0, 255}));
  EXPECT_EQ(part.mask.background, mask.background);
  EXPECT_EQ(part.image.width, 2);
  EXPECT_EQ(part.image.rgba,
            (std::vector<std::uint8_t>{28, 29, 30, 31, 32, 33, 34, 35, 48, 49, 50, 51, 52, 53, 54, 55}));
  EXPECT_EQ(cut_out(image, {{5, 4, std::vector<std::uint8_t>(20)}, {}, ""}).image.width, 0);
}

}  // namespace
}  // namespace p2mpp
