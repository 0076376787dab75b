#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "pipeline/box_jobs.h"
#include "results/make_meshes.h"
#include "support/messages.h"

namespace p2mpp {
namespace {

class FitStepTest : public BoxJobTest {
 protected:
  FitStepTest() { options_.run.fit.kind = FitViews::Kind::kAll; }

  [[nodiscard]] Job job_with(std::vector<FitMask> masks) const {
    return BoxJobTest::job_with(row_with(std::move(masks)));
  }

  /// Begun from a mesh that somebody gave.
  Job made_from(const TriangleMesh& given, std::vector<FitMask> masks) {
    Job job = job_with(std::move(masks));
    job.sample.initial_mesh = std::make_shared<const TriangleMesh>(given);
    job = made(std::move(job));
    EXPECT_FALSE(job.result.failed()) << job.result.reason;
    return job;
  }
};

TEST_F(FitStepTest, AFittedMeshFollowsTheNetworks) {
  const Steps steps(options_, engine_, trace_);
  std::vector<Job> jobs;
  jobs.push_back(job_with(masks_of_box(4)));
  jobs.push_back(job_with({}));
  const Points before = jobs[0].reconstruction.vertices();
  steps.make_meshes(jobs);
  ASSERT_TRUE(jobs[0].result.fit) << jobs[0].result.reason;
  EXPECT_EQ(jobs[0].result.fit->masks, 4U);
  EXPECT_GT(jobs[0].result.fit->iou_after, jobs[0].result.fit->iou_before + 0.05);
  EXPECT_GT(jobs[0].result.fit->milliseconds, 0);
  ASSERT_EQ(jobs[0].meshes.size(), 2U);
  EXPECT_EQ(jobs[0].meshes[0].name, "refined");
  EXPECT_EQ(jobs[0].meshes[0].mesh.vertices, before);
  EXPECT_EQ(jobs[0].meshes[1].name, "fitted");
  // In the network's frame: as far from the camera as before.
  EXPECT_NEAR(jobs[0].mesh_in(Frame::kCamera0).vertices[0].norm(), before[0].norm(), 0.05);
  EXPECT_FALSE(jobs[1].result.fit);
  EXPECT_EQ(jobs[1].meshes.size(), 1U);
}

TEST_F(FitStepTest, WhatTheFitNotesIsAWarning) {
  std::vector<std::string> warnings;
  options_.on_warning = [&](const std::string& line) { warnings.push_back(line); };
  std::vector<FitMask> masks = masks_of_box(3);
  std::ranges::fill(masks[1].coverage, std::uint8_t{0});
  const Job job = made(job_with(masks));
  EXPECT_EQ(warnings, std::vector<std::string>{"box: fit: 1 of 3 masks are not used: mask 2: the mask is empty"});
  EXPECT_EQ(job.result.warnings.size(), 1U);
}

TEST_F(FitStepTest, AFitThatCannotBeFailsTheSample) {
  std::vector<FitMask> masks = masks_of_box(2);
  masks[0].camera.rotation.setZero();
  const Job job = made(job_with(masks));
  EXPECT_TRUE(job.result.failed());
  EXPECT_HOLDS(job.result.reason, "mask 1: the rotation");
}

// Where the network lost the object, it is no evidence: an automatic choice takes the surface of the masks' hull.
TEST_F(FitStepTest, AHopelessMeshGivesWayToTheHull) {
  for (Eigen::Vector3f& vertex : sphere_.vertices) vertex = 0.25F * vertex + Eigen::Vector3f(0.1F, 0.15F, 0);
  options_.run.surface = {.kind = SurfaceChoice::Kind::kAutomatic, .resolution = 40, .target_vertices = 700};
  const std::vector<FitMask> masks = masks_of_box(5);
  const Job job = made(job_with(masks));
  ASSERT_TRUE(job.result.surface) << job.result.reason;
  EXPECT_LT(job.result.fit->iou_before, kHopelessIou);
  EXPECT_EQ(job.result.warnings.back().message.substr(0, 57),
            "surface: the mesh hardly overlaps its masks (mean IoU 0.0");
  EXPECT_FALSE(job.sample.initial_mesh) << "the input stays";
  const TriangleMesh world = job.mesh_in(Frame::kWorld);
  EXPECT_GT(fit_to_masks(world, masks, {.steps = 0}).iou_before, 0.95);
  // A mesh that somebody gave stays his.
  const Job given = made_from(sphere_, masks);
  EXPECT_EQ(given.meshes.back().mesh.vertices.size(), sphere_.vertices.size());
  EXPECT_HOLDS(given.result.fit->note, "cannot be trusted");
  // Of contradicting masks, there is none.
  std::vector<FitMask> contradicting = masks_of_box(2);
  contradicting[1].camera = contradicting[0].camera;
  EXPECT_EQ(made(job_with(contradicting)).meshes.back().mesh.vertices.size(), sphere_.vertices.size());
  // Nor if the template is asked for.
  options_.run.surface.kind = SurfaceChoice::Kind::kTemplate;
  EXPECT_EQ(made(job_with(masks)).meshes.back().mesh.vertices.size(), sphere_.vertices.size());
}

// Stage 2 knows less about a good mesh than many masks do.
TEST_F(FitStepTest, AMeshFromAFileStaysIfStage2MakesItWorse) {
  options_.run.initial = {.kind = InitialShape::Kind::kFile, .file = "ellipsoid.obj"};
  options_.run.fit_steps = 0;
  const Eigen::Vector3d axes(0.16, 0.1, 0.12);
  const std::vector<FitMask> masks = testing::ellipsoid_masks(axes.asDiagonal(), 8, 112);
  const TriangleMesh ellipsoid = testing::scaled(testing::icosphere(3), axes.cast<float>());
  const Job kept = made_from(ellipsoid, masks);
  ASSERT_EQ(kept.result.warnings.size(), 1U);
  EXPECT_EQ(kept.result.warnings.front().code, "stage_2");
  EXPECT_EQ(kept.mesh_in(Frame::kWorld).vertices, ellipsoid.vertices);
  EXPECT_GT(kept.result.fit->iou_after, 0.97);
  const Job sphere = made_from(testing::scaled(sphere_, 0.5F), masks);
  EXPECT_TRUE(sphere.result.warnings.empty());
  EXPECT_EQ(sphere.meshes.back().mesh.vertices, sphere.reconstruction.vertices());
}

// Guards allow no step of a mesh whose faces intersect, which stage 2 leaves of one that is far from the object.
TEST_F(FitStepTest, AMeshFromAFileIsFittedWithoutStage2IfStage2CrumplesIt) {
  options_.run.initial = {.kind = InitialShape::Kind::kFile, .file = "ball.obj"};
  Job job = job_with(masks_of_box(8));
  job.sample.initial_mesh = std::make_shared<const TriangleMesh>(sphere_);
  TriangleMesh crumpled = sphere_;
  for (std::size_t i = 0; i < crumpled.vertices.size(); ++i) crumpled.vertices[i] *= i % 3 == 0 ? 0.6F : 1.2F;
  for (std::size_t i = 0; i < crumpled.vertices.size(); i += 7) crumpled.vertices[i].x() *= -1;
  job.reconstruction.refined = {in_network_frame(crumpled, job.sample).vertices};
  job = made(std::move(job));
  ASSERT_FALSE(job.result.failed()) << job.result.reason;
  ASSERT_FALSE(job.result.warnings.empty());
  EXPECT_EQ(job.result.warnings.front().code, "stage_2");
  EXPECT_GT(job.result.fit->iou_after, 0.95);
}

TEST_F(FitStepTest, MasksOfAHullOrAVolumeMayNotBeForTheFit) {
  Sample sample = job_with(masks_of_box(5)).sample;
  const InitialShape hull{.kind = InitialShape::Kind::kHull};
  using Kind = FitViews::Kind;
  EXPECT_TRUE(is_fitted({.fit = {Kind::kAutomatic}}, sample));
  EXPECT_TRUE(is_fitted({.fit = {Kind::kAll}, .initial = hull}, sample));
  EXPECT_TRUE(is_fitted({.fit = {Kind::kAutomatic}, .initial = hull}, sample)) << "more than the network's one";
  EXPECT_FALSE(is_fitted({.fit = {Kind::kNone}, .initial = hull}, sample));
  sample.fit_masks.resize(1);
  EXPECT_FALSE(is_fitted({.fit = {Kind::kAutomatic}, .initial = hull}, sample));
  sample.fit_masks.clear();
  EXPECT_FALSE(is_fitted({.fit = {Kind::kAll}}, sample));
}

TEST_F(FitStepTest, StepsAndMasksAreTheOptions) {
  options_.run.fit_steps = 0;
  const Job job = made(job_with(masks_of_box(2)));
  EXPECT_EQ(job.result.fit->steps, 0);
  EXPECT_EQ(job.meshes.back().mesh.vertices, job_with(masks_of_box(2)).reconstruction.vertices());
}

TEST(MaskFittersTest, MeshesWithTheSameTrianglesShareOne) {
  TriangleMesh mesh = testing::icosphere(1);
  MaskFitters fitters;
  const MaskFitter& first = fitters.of(mesh);
  mesh.vertices[0] *= 2;
  EXPECT_EQ(&fitters.of(mesh), &first);
  std::swap(mesh.triangles[0][1], mesh.triangles[0][2]);
  EXPECT_NE(&fitters.of(mesh), &first);
}

}  // namespace
}  // namespace p2mpp
