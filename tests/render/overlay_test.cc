#include "render/overlay.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <numbers>

#include "p2mpp/error.h"
#include "render/drawing.h"
#include "render/panels.h"
#include "render/sample_views.h"
#include "support/temporary_folder.h"

namespace p2mpp {
namespace {

using OverlayTest = RayTracerTest;

TEST_F(OverlayTest, TheRightMeshCoversTheImages) {
  const TriangleMesh mesh = lopsided();
  const Sample sample = photograph(mesh);
  const Overlay result = overlay(mesh, sample, 200);
  ASSERT_EQ(result.panels.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_GT(result.overlaps[i].iou, 0.97);
    EXPECT_NEAR(result.overlaps[i].mesh_area, result.overlaps[i].image_area, 0.005);
    EXPECT_EQ(result.panels[i].width, 200);
    const Rgba corner = pixel(result.panels[i], 3, 3), middle = pixel(result.panels[i], 100, 100);
    EXPECT_EQ(corner.red + corner.green + corner.blue, 3 * 255);
    EXPECT_GT(middle.red, middle.blue + 40);  // the fill
  }
  EXPECT_EQ(overlap_hint(sample, result.overlaps), "");
}

// The image of a pinhole, computed point by point without the renderer.
TEST_F(OverlayTest, APinholesImageIsCovered) {
  const TriangleMesh mesh = ball(0.12F, {0.03F, -0.02F, 0.01F}, 6);
  Sample sample{"pinholes", {}};
  for (const float i : {0.0F, 1.0F, 2.0F}) {
    Camera camera =
        camera_from_row({.azimuth_deg = 110 * i, .elevation_deg = 40 * i - 30, .distance = 0.7F + 0.1F * i});
    const Eigen::AngleAxisd aim(0.06, Eigen::Vector3d(0.8, -0.6, 0)), roll(0.5 + i, Eigen::Vector3d::UnitZ());
    camera.rotation = (roll * aim).toRotationMatrix() * camera.rotation.eval();
    camera.intrinsics = {.fx = 200 + 30.0 * i, .fy = 280 - 20.0 * i, .cx = 100 + 15.0 * i, .cy = 125 - 10.0 * i};
    View view{Image{448, 448, std::vector<std::uint8_t>(std::size_t{4} * 448 * 448, 0)}, camera};
    const Eigen::Vector3d centre = view.camera.cam_from_world({0.03, -0.02, 0.01});
    for (int y = 0; y < 448; ++y) {
      for (int x = 0; x < 448; ++x) {
        const Intrinsics& in = view.camera.intrinsics;
        const Eigen::Vector3d ray(((x + 0.5) / 2 - in.cx) / in.fx, -((y + 0.5) / 2 - in.cy) / in.fy, -1);
        const bool hit = ray.cross(centre).norm() / ray.norm() < 0.12;
        view.image.rgba[static_cast<std::size_t>(4 * (448 * y + x) + 3)] = hit ? 255 : 0;
      }
    }
    sample.views.push_back(view);
  }
  for (const ViewOverlap& overlap : overlay(mesh, sample, 64).overlaps) EXPECT_GT(overlap.iou, 0.985);
}

TEST_F(OverlayTest, WhatAPhotographDoesNotShowCountsNeitherWay) {
  const TriangleMesh mesh = lopsided();
  Sample sample = photograph(mesh);
  View& view = sample.views[1];
  view.name = "close.png";
  const std::size_t row_bytes = std::size_t{4} * static_cast<std::size_t>(view.image.width);
  const auto half = static_cast<std::ptrdiff_t>(view.image.rgba.size() / 2 / row_bytes * row_bytes);
  std::fill(view.image.rgba.begin() + half, view.image.rgba.end(), 0);
  EXPECT_LT(overlay(mesh, sample, 64).overlaps[1].iou, 0.8);
  constexpr std::size_t kSide = 112, kCut = 60;  // row 120 of its 224, whose principal point is 10 lower
  FitMask mask;
  mask.width = mask.height = static_cast<int>(kSide);
  mask.coverage.resize(kSide * kSide);
  mask.unknown.resize(kSide * kSide);
  std::fill(mask.unknown.begin() + kCut * kSide, mask.unknown.end(), 1);
  mask.camera = view.camera;
  mask.camera.intrinsics.cy += 10;
  mask.name = view.name;
  sample.fit_masks = {mask};
  const ViewOverlap known = overlay(mesh, sample, 64).overlaps[1];
  EXPECT_GT(known.iou, 0.97);
  EXPECT_NEAR(known.mesh_area, known.image_area, 0.005);
}

TEST_F(OverlayTest, ADenseCloudCoversTheImages) {
  const Sample sample = photograph(ball(0.2F, {0, 0, 0}, 4));
  for (const ViewOverlap& overlap : overlay({ball(0.2F, {0, 0, 0}, 5).vertices, {}}, sample, 64).overlaps) {
    EXPECT_GT(overlap.iou, 0.93);
  }
}

TEST_F(OverlayTest, TheOutlineIsDrawnAroundTheMesh) {
  const TriangleMesh mesh = ball(0.15F, {0, 0, 0}, 4);
  const Image panel = overlay(mesh, photograph(mesh), 224).panels[0];
  int left = 0;
  while (left < 112 && pixel(panel, left, 112).green > 200) ++left;
  const Rgba edge = pixel(panel, left + 1, 112);
  EXPECT_GT(edge.red, 150);
  EXPECT_LT(edge.green, 110);
}

std::string hint_for(const Sample& sample, const TriangleMesh& mesh) {
  return overlap_hint(sample, overlay(mesh, sample, 64).overlaps);
}

using OverlapHint = RayTracerTest;

TEST_F(OverlapHint, SaysWhatIsProbablyWrong) {
  const TriangleMesh mesh = lopsided();
  const auto with_cameras = [&](auto change) {
    Sample sample = photograph(mesh);
    for (View& view : sample.views) {
      change(*view.row);
      view.camera = camera_from_row(*view.row);
    }
    return hint_for(sample, mesh);
  };
  EXPECT_EQ(with_cameras([](CameraRow&) {}), "");
  EXPECT_HOLDS(with_cameras([](CameraRow& row) {
                 row.azimuth_deg *= 0.0174533F;
                 row.elevation_deg *= 0.0174533F;
               }),
               "look like radians; expected degrees");
  EXPECT_HOLDS(with_cameras([](CameraRow& row) { row.distance = 3; }), "a distance is unusual");
  EXPECT_HOLDS(with_cameras([](CameraRow& row) { row.distance = 1.4F; }), "smaller than the object in every view");
  EXPECT_HOLDS(with_cameras([](CameraRow& row) { row.distance = 0.45F; }), "larger than the object in every view");
}

TEST_F(OverlapHint, TellsAWrongTurnByTheFirstView) {
  const TriangleMesh mesh = lopsided();
  Sample sample = photograph(mesh);
  std::swap(sample.views[1].image, sample.views[2].image);
  sample.views[1].row->azimuth_deg += 60;
  sample.views[1].camera = camera_from_row(*sample.views[1].row);
  EXPECT_HOLDS(hint_for(sample, mesh), "the first view fits and another does not");
}

TEST_F(OverlapHint, SaysWhereTheImagesShowNothingOrTooMuch) {
  Sample sample = photograph(lopsided());
  for (View& view : sample.views) view.image.rgba.assign(view.image.rgba.size(), 255);
  EXPECT_HOLDS(hint_for(sample, lopsided()), "the images show no object");
  for (View& view : sample.views) view.image.rgba.assign(view.image.rgba.size(), 90);
  for (View& view : sample.views) {
    for (std::size_t i = 3; i < view.image.rgba.size(); i += 4) view.image.rgba[i] = 255;
  }
  EXPECT_HOLDS(hint_for(sample, lopsided()), "an image shows no background");
}

TEST_F(OverlayTest, LabelsNameTheViewAndItsOverlap) {
  const TriangleMesh mesh = lopsided();
  Sample sample = photograph(mesh);
  sample.views[0].name = "a.png";
  Overlay result = overlay(mesh, sample, 224);
  result.overlaps[0].iou = 0.8749;
  result.overlaps[1].iou = 0.5;
  result.overlaps[2].iou = 1;
  const std::vector<Image> labelled = labelled_panels(result, sample);
  draw_label(result.panels[0], "a.png IoU 0.87");
  draw_label(result.panels[1], "view 2 IoU 0.50");
  EXPECT_EQ(labelled[0].rgba, result.panels[0].rgba);
  EXPECT_EQ(labelled[1].rgba, result.panels[1].rgba);
  EXPECT_EQ(labelled.size(), 3U);
  const std::vector<Image> before = labelled_panels(result, sample, "unfitted");
  draw_label(result.panels[2], "view 3 unfitted IoU 1.00");
  EXPECT_EQ(before[2].rgba, result.panels[2].rgba);
  const Image both = stacked(labelled[0], before[0], 3);
  EXPECT_EQ(both.height, labelled[0].height + 3 + before[0].height);
  EXPECT_EQ(both.rgba.size(), std::size_t{4} * static_cast<std::size_t>(both.width * both.height));
  EXPECT_TRUE(std::equal(before[0].rgba.rbegin(), before[0].rgba.rend(), both.rgba.rbegin()));
}

TEST(SilhouetteImage, ASpheresIsADiscOfTheRightArea) {
  P2MPP_NEEDS_RAY_TRACER();
  const TriangleMesh mesh = ball(0.2F, {0, 0, 0}, 4);
  const CameraRow row{.azimuth_deg = 77, .elevation_deg = 10, .distance = 0.8F};
  const SilhouetteImage silhouette =
      project_silhouette(RayScene(mesh, 0), mesh, view_camera(camera_from_row(row)), 224, 4);
  const double tangent = 0.2 / std::sqrt(0.8 * 0.8 - 0.2 * 0.2), radius = kFocalLength / kImageSize * tangent;
  EXPECT_NEAR(silhouette.area(), std::numbers::pi * radius * radius, 0.003);
}

TEST(SilhouetteImage, AnImagesIsItsAlphaOrWhatIsNotWhite) {
  Image image{4, 4, std::vector<std::uint8_t>(64, 255)};
  EXPECT_EQ(image_silhouette(image, 4).area(), 0);  // all white
  for (std::size_t i = 0; i < 8; ++i) image.rgba[4 * i] = 100;
  EXPECT_NEAR(image_silhouette(image, 4).area(), 0.5, 1e-6);
  for (std::size_t i = 0; i < 4; ++i) image.rgba[4 * i + 3] = 0;  // now alpha counts: white is part of the object
  EXPECT_NEAR(image_silhouette(image, 4).area(), 0.75, 1e-6);
}

TEST(SilhouetteImage, IntersectionOverUnion) {
  const SilhouetteImage left{2, {1, 0, 1, 0}}, top{2, {1, 1, 0, 0}}, none{2, {0, 0, 0, 0.4F}};
  EXPECT_NEAR(intersection_over_union(left, top), 1.0 / 3, 1e-9);
  EXPECT_EQ(intersection_over_union(left, left), 1);
  EXPECT_EQ(intersection_over_union(left, none), 0);
  EXPECT_EQ(intersection_over_union(none, none), 1);
}

}  // namespace

}  // namespace p2mpp
