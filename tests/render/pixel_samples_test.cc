#include "render/drawing.h"
#include "render/picture_camera.h"

namespace p2mpp {
namespace {

TEST(PixelSamples, CastsRaysWhereSomethingMayBeSeenOnly) {
  const Points points = {{-0.1F, -0.1F, -1}, {0.1F, 0.1F, -1}};
  const PictureCamera camera;  // at the origin, along -z
  const PixelSamples samples(100, 100, 4, points, 0, camera);
  std::vector<Ray> rays;
  samples.cast_row(2, rays);
  EXPECT_TRUE(rays.empty());
  samples.cast_row(50, rays);
  // 0.2 at a distance of 1 is 22 pixels of 100 at the focal length 1.107.
  EXPECT_GE(rays.size(), 4U * 22);
  EXPECT_LE(rays.size(), 4U * 27);
  EXPECT_EQ(samples.pixel_rays(50, 2).count, 0U);
  EXPECT_EQ(samples.pixel_rays(50, 50).count, 4U);
}

TEST(PixelSamples, RaysOfAPixelGoThroughIt) {
  const Points points = {{-0.5F, -0.5F, -1}, {0.5F, 0.5F, -1}};
  const PictureCamera camera;
  const PixelSamples samples(64, 64, 9, points, 0, camera);
  std::vector<Ray> rays;
  samples.cast_row(20, rays);
  for (const int column : {0, 31, 63}) {
    const auto [first, count] = samples.pixel_rays(20, column);
    ASSERT_EQ(count, 9U);
    for (std::size_t i = first; i < first + count; ++i) {
      const PictureCamera::Place place = camera.place(rays[i].origin + rays[i].direction);
      EXPECT_GE(place.x * 64, column - 1e-3);
      EXPECT_LE(place.x * 64, column + 1 + 1e-3);
      EXPECT_GE(place.y * 64, 20 - 1e-3);
      EXPECT_LE(place.y * 64, 21 + 1e-3);
    }
  }
}

TEST(PixelSamples, ASingleRayGoesThroughTheMiddle) {
  const PictureCamera camera;
  const PixelSamples samples(10, 10, 1, Points{{-1, -1, -1}, {1, 1, -1}}, 0, camera);
  std::vector<Ray> rays;
  samples.cast_row(3, rays);
  const PictureCamera::Place place = camera.place(rays[samples.pixel_rays(3, 7).first].direction);
  EXPECT_NEAR(place.x, 0.75, 1e-5);
  EXPECT_NEAR(place.y, 0.35, 1e-5);
}

TEST(PixelSamples, APointBesideTheCameraMayBeSeenAnywhere) {
  const PixelSamples samples(32, 32, 1, Points{{0, 0, -1}, {0, 0, 1}}, 0, {});
  std::vector<Ray> rays;
  samples.cast_row(0, rays);
  EXPECT_EQ(rays.size(), 32U);
}

}  // namespace
}  // namespace p2mpp
