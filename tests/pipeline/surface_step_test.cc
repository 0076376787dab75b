#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "fit/self_intersections.h"
#include "geometry/distances/distance_field.h"
#include "p2mpp/error.h"
#include "pipeline/box_jobs.h"
#include "results/surface_choice.h"
#include "support/box_meshes.h"

namespace p2mpp {

namespace {

Sample photographs(std::vector<FitMask> masks) {
  Sample sample = row_with(std::move(masks));
  sample.network_frame = sample.views.front().camera;
  return sample;
}

class SurfaceStepTest : public BoxJobTest {
 protected:
  SurfaceStepTest() {
    options_.run = automatic_run_options();
    options_.run.surface.resolution = 48;
    options_.run.surface.target_vertices = 800;
  }
};

TEST(SurfaceChoiceTest, AVolumeNeedsPhotographsFromEnoughSides) {
  const std::vector<FitMask> masks = masks_of_box(8);
  EXPECT_EQ(obstacle_to_volume(photographs(masks), {}, false), "");
  Sample rows = photographs(masks);
  rows.network_frame.reset();
  EXPECT_EQ(obstacle_to_volume(rows, {}, false), "the sample has no photographs");
  EXPECT_EQ(obstacle_to_volume(photographs(masks), {.kind = InitialShape::Kind::kHull}, false),
            "an initial mesh was given");
  EXPECT_EQ(obstacle_to_volume(photographs({masks.begin(), masks.begin() + 7}), {}, false),
            "7 masks; a volume needs 8");
  EXPECT_EQ(obstacle_to_volume(photographs(std::vector<FitMask>(8, masks.front())), {}, false),
            "the cameras look from one side");
}

TEST(SurfaceChoiceTest, TheDistanceNetworkGivesFewPhotographsAVolume) {
  const std::vector<FitMask> masks = masks_of_box(8);
  Sample few = photographs({masks.begin(), masks.begin() + 3});
  EXPECT_EQ(obstacle_to_volume(few, {}, true), "");
  EXPECT_EQ(obstacle_to_volume(few, {.kind = InitialShape::Kind::kFile}, true), "an initial mesh was given");
  few.network_frame.reset();
  EXPECT_EQ(obstacle_to_volume(few, {}, true), "");
  few.fit_masks.pop_back();
  EXPECT_EQ(obstacle_to_volume(few, {}, true), "") << "two photographs";
  EXPECT_FALSE(expects_distances(photographs(masks)));
  EXPECT_EQ(obstacle_to_volume(photographs(std::vector<FitMask>(8, masks.front())), {}, true),
            "the cameras look from one side");
}

TEST(SurfaceChoiceTest, KindsHaveNames) {
  for (const char* name : {"auto", "template", "volume"}) {
    SurfaceChoice choice;
    from_text(name, choice);
    EXPECT_EQ(to_string(choice), name);
  }
  SurfaceChoice choice;
  EXPECT_THROW(from_text("mesh", choice), UsageError);
  SurfaceFigures figures;
  figures.used = 24;
  figures.resolution = 256;
  figures.dropped = 1;
  figures.milliseconds = 3500;
  EXPECT_EQ(surface_summary(figures), "256 voxels, 24 masks, 1 small part dropped, 3500 ms");
}

TEST_F(SurfaceStepTest, AVolumeFollowsTheFit) {
  const Job job = made(job_with(photographs(masks_of_box(8))));
  ASSERT_TRUE(job.result.surface) << job.result.reason;
  EXPECT_EQ(job.meshes.back().name, "surface");
  EXPECT_EQ(job.result.surface->used, 8U);
  EXPECT_GT(job.result.surface->milliseconds, 0);
  EXPECT_NEAR(static_cast<double>(job.meshes.back().mesh.vertices.size()), 800, 80);
  EXPECT_EQ(count_intersecting(job.meshes.back().mesh.vertices, job.meshes.back().mesh.triangles), 0U);
  // In the network's frame, where the object is.
  Eigen::Vector3f middle = Eigen::Vector3f::Zero();
  for (const Eigen::Vector3f& vertex : job.mesh_in(Frame::kWorld).vertices) middle += vertex;
  EXPECT_LT(middle.norm() / static_cast<float>(job.meshes.back().mesh.vertices.size()), 0.01F);
}

TEST_F(SurfaceStepTest, WithoutEnoughMasksTheTemplateStaysUnlessAVolumeIsAskedFor) {
  const Job job = made(job_with(photographs(masks_of_box(4))));
  EXPECT_FALSE(job.result.surface);
  EXPECT_EQ(job.result.no_volume, "4 masks; a volume needs 8");
  EXPECT_EQ(job.meshes.back().name, "fitted");
  options_.run.surface.kind = SurfaceChoice::Kind::kVolume;
  const Job asked = made(job_with(photographs(masks_of_box(4))));
  EXPECT_TRUE(asked.result.surface);
  EXPECT_EQ(asked.result.no_volume, "");
}

/// The network's mesh is a small sphere; the distances are those of a box, and the masks, too.
TEST_F(SurfaceStepTest, FewMasksFollowTheDistanceNetwork) {
  const Eigen::Vector3d half(0.13, 0.11, 0.12);
  const VoxelGrid grid{{-0.24, -0.24, -0.24}, 0.02, {24, 24, 24}};
  engine_.field = std::make_shared<const DistanceField>(testing::distances_to_box(grid, {0, 0, 0}, half, 0.01F));
  const Job job = made(job_with(photographs(testing::box_masks(half, 3))));
  ASSERT_TRUE(job.result.surface) << job.result.reason;
  EXPECT_FALSE(job.result.fit) << "the network's mesh is not needed";
  EXPECT_EQ(job.result.no_volume, "");
  const TriangleMesh mesh = job.mesh_in(Frame::kWorld);
  EXPECT_NEAR(signed_volume(mesh), 8 * half.prod(), 0.1 * 8 * half.prod());
  EXPECT_EQ(count_intersecting(mesh.vertices, mesh.triangles), 0U);
}

// Stage 1's mesh has other triangles than the surface.
TEST_F(SurfaceStepTest, AVolumeIsScoredBesideStage1) {
  const TriangleMesh truth = testing::icosphere(3);
  const Scores scores = score_mesh(testing::icosphere(1), truth, {}, testing::icosphere(2));
  EXPECT_TRUE(is_defined(scores.coarse));
  EXPECT_LT(scores.coarse.chamfer_distance, scores.vertices.chamfer_distance);
}

std::vector<View> views_of(const std::vector<FitMask>& masks) {
  std::vector<View> views;
  for (const FitMask& mask : masks) {
    View& view = views.emplace_back();
    view.camera = mask.camera;
    view.image = {mask.width, mask.height, {}};
    for (const std::uint8_t alpha : mask.coverage) view.image.rgba.insert(view.image.rgba.end(), {90, 90, 90, alpha});
  }
  return views;
}

// Decoded images have no masks to fit to: a volume takes the images' own.
TEST_F(SurfaceStepTest, AVolumeTakesTheMasksOfViews) {
  options_.run.surface.kind = SurfaceChoice::Kind::kVolume;
  Sample sample = photographs({});
  sample.views = views_of(masks_of_box(4));
  const Job job = made(job_with(std::move(sample)));
  ASSERT_TRUE(job.result.surface) << job.result.reason;
  EXPECT_EQ(job.result.surface->used, 4U);
  sample = photographs({});
  sample.id = "empty";
  EXPECT_EQ(made(job_with(sample)).result.reason,
            "empty: no volume: 0 of 1 masks show the object; expected at least 2 for its surface; mask 1: the mask is "
            "empty");
}

TEST_F(SurfaceStepTest, CamerasSideBySideAreNamed) {
  options_.run.surface.kind = SurfaceChoice::Kind::kVolume;
  Sample sample = photographs({});
  sample.id = "close";
  std::vector<FitMask> masks(2, masks_of_box(1).front());
  const Eigen::Matrix3d turn = Eigen::AngleAxisd(0.03, Eigen::Vector3d::UnitY()).toRotationMatrix();
  masks[1].camera.origin = turn * masks[1].camera.origin;
  masks[1].camera.rotation *= turn.transpose();
  sample.views = views_of(masks);
  EXPECT_EQ(made(job_with(std::move(sample))).result.reason,
            "close: no volume: the cameras do not enclose the object; expected photographs from several sides");
}

TEST(SurfaceDetailTest, ReadsWhatItWrites) {
  SurfaceChoice choice;
  for (const auto& [text, times] : {std::pair{"coarse", 1U}, {"full", 4U}, {"auto", 1U}}) {
    from_text(text, choice.detail);
    EXPECT_EQ(to_string(choice.detail), text);
    EXPECT_EQ(vertices_of(choice), times * choice.target_vertices);
  }
  EXPECT_THROW(from_text("fine", choice.detail), UsageError);
}

TEST(InitialShapeTest, ReadsWhatItWrites) {
  using enum InitialShape::Kind;
  InitialShape shape{.target_vertices = 700};
  for (const auto& [text, kind] :
       {std::pair{"hull", kHull}, {"scan.ply", kFile}, {"./hull", kFile}, {"ellipsoid", kEllipsoid}}) {
    from_text(text, shape);
    EXPECT_EQ(shape.kind, kind) << text;
    EXPECT_EQ(to_string(shape), text);
  }
  EXPECT_EQ(shape.file, "");
  EXPECT_EQ(shape.target_vertices, 700U);
}

}  // namespace
}  // namespace p2mpp
