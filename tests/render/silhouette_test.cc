#include "render/silhouette.h"

#include <numbers>

#include "render/drawing.h"
#include "render/sample_views.h"

namespace p2mpp {
namespace {

TEST(Silhouette, ASpheresIsADiscOfTheRightArea) {
  NEEDS_DRAWING();
  const TriangleMesh mesh = ball(0.2F, {0, 0, 0}, 4);
  const CameraRow row{.azimuth_deg = 77, .elevation_deg = 10, .distance = 0.8F};
  const Silhouette silhouette = project_silhouette(RayScene(mesh, 0), mesh, view_camera(row), 224, 4);
  const double tangent = 0.2 / std::sqrt(0.8 * 0.8 - 0.2 * 0.2), radius = kFocalLength / kImageSize * tangent;
  EXPECT_NEAR(silhouette.area(), std::numbers::pi * radius * radius, 0.003);
}

TEST(Silhouette, AnImagesIsItsAlphaOrWhatIsNotWhite) {
  Image image{4, 4, std::vector<std::uint8_t>(64, 255)};
  EXPECT_EQ(image_silhouette(image, 4).area(), 0);  // all white
  for (std::size_t i = 0; i < 8; ++i) image.rgba[4 * i] = 100;
  EXPECT_NEAR(image_silhouette(image, 4).area(), 0.5, 1e-6);
  for (std::size_t i = 0; i < 4; ++i) image.rgba[4 * i + 3] = 0;  // now alpha counts: white is part of the object
  EXPECT_NEAR(image_silhouette(image, 4).area(), 0.75, 1e-6);
}

TEST(Silhouette, IntersectionOverUnion) {
  const Silhouette left{2, {1, 0, 1, 0}}, top{2, {1, 1, 0, 0}}, none{2, {0, 0, 0, 0.4F}};
  EXPECT_NEAR(intersection_over_union(left, top), 1.0 / 3, 1e-9);
  EXPECT_EQ(intersection_over_union(left, left), 1);
  EXPECT_EQ(intersection_over_union(left, none), 0);
  EXPECT_EQ(intersection_over_union(none, none), 1);
}

TEST(Silhouette, OfAMeshAndOfItsPhotographAgree) {
  NEEDS_DRAWING();
  const TriangleMesh mesh = lopsided();
  for (const View& view : photograph(mesh).views) {
    const Silhouette seen = project_silhouette(RayScene(mesh, 0), mesh, view_camera(view.camera), 224, 4);
    EXPECT_GT(intersection_over_union(seen, image_silhouette(view.image, 224)), 0.97);
  }
}

}  // namespace
}  // namespace p2mpp
