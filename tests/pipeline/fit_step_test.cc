#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "pipeline/steps.h"
#include "results/make_meshes.h"
#include "support/drawn_masks.h"
#include "support/fake_engine.h"
#include "support/messages.h"
#include "support/test_meshes.h"

namespace p2mpp {
namespace {

class FitStepTest : public ::testing::Test {
 protected:
  FitStepTest() {
    for (Eigen::Vector3f& vertex : sphere_.vertices) vertex *= 0.12F;
    options_.run.fit.kind = FitViews::Kind::kAll;
  }

  // As the network leaves it: a sphere.
  Job job_with(std::vector<FitMask> masks) {
    Job job;
    job.result.id = "box";
    job.sample.views = {view_from_row({8, 8, std::vector<std::uint8_t>(256)}, {30, 20, 0, 0.75F, 0})};
    job.sample.fit_masks = std::move(masks);
    job.reconstruction.refined = {in_network_frame(sphere_, job.sample).vertices};
    return job;
  }

  PipelineOptions options_;
  SphereEngine engine_;
  Trace trace_;
  TriangleMesh sphere_ = testing::icosphere(3);
};

TEST_F(FitStepTest, AFittedMeshFollowsTheNetworks) {
  const Steps steps(options_, engine_, trace_);
  std::vector<Job> jobs;
  jobs.push_back(job_with(testing::box_masks({0.13, 0.11, 0.12}, 4)));
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
  std::vector<FitMask> masks = testing::box_masks({0.13, 0.11, 0.12}, 3);
  std::ranges::fill(masks[1].coverage, std::uint8_t{0});
  Job job = job_with(masks);
  Steps(options_, engine_, trace_).make_meshes({&job, 1});
  EXPECT_EQ(warnings, std::vector<std::string>{"box: fit: 1 of 3 masks are not used: mask 2: the mask is empty"});
  EXPECT_EQ(job.result.warnings.size(), 1U);
}

TEST_F(FitStepTest, AFitThatCannotBeFailsTheSample) {
  std::vector<FitMask> masks = testing::box_masks({0.13, 0.11, 0.12}, 2);
  masks[0].camera.rotation.setZero();
  Job job = job_with(masks);
  Steps(options_, engine_, trace_).make_meshes({&job, 1});
  EXPECT_TRUE(job.result.failed());
  EXPECT_HOLDS(job.result.reason, "mask 1: the rotation");
}

// Where the network lost the object, it is no evidence: an automatic choice takes the surface of the masks' hull.
TEST_F(FitStepTest, AHopelessMeshGivesWayToTheHull) {
  for (Eigen::Vector3f& vertex : sphere_.vertices) vertex = 0.25F * vertex + Eigen::Vector3f(0.1F, 0.15F, 0);
  options_.run.surface = {.kind = SurfaceChoice::Kind::kAutomatic, .resolution = 40, .target_vertices = 700};
  const auto made = [&](Job job) {
    Steps(options_, engine_, trace_).make_meshes({&job, 1});
    EXPECT_FALSE(job.result.failed()) << job.result.reason;
    return job;
  };
  const std::vector<FitMask> masks = testing::box_masks({0.13, 0.11, 0.12}, 5);
  const Job job = made(job_with(masks));
  EXPECT_LT(job.result.fit->iou_before, kHopelessIou);
  ASSERT_TRUE(job.result.surface);
  EXPECT_EQ(job.result.warnings.back().message.substr(0, 57),
            "surface: the mesh hardly overlaps its masks (mean IoU 0.0");
  EXPECT_FALSE(job.sample.initial_mesh) << "the input stays";
  const TriangleMesh world = job.mesh_in(Frame::kWorld);
  EXPECT_GT(fit_to_masks(world, masks, {.steps = 0}).iou_before, 0.95);
  // A mesh that somebody gave stays his.
  Job given = job_with(masks);
  given.sample.initial_mesh = std::make_shared<const TriangleMesh>(sphere_);
  given = made(std::move(given));
  EXPECT_EQ(given.meshes.back().mesh.vertices.size(), sphere_.vertices.size());
  EXPECT_HOLDS(given.result.fit->note, "cannot be trusted");
  // Of contradicting masks, there is none.
  std::vector<FitMask> contradicting = testing::box_masks({0.13, 0.11, 0.12}, 2);
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
  std::vector<FitMask> masks;
  for (const Camera& camera : testing::cameras_around(8)) {
    masks.push_back(testing::ellipsoid_mask(axes.asDiagonal(), camera, 112));
  }
  const auto made_from = [&](const TriangleMesh& given) {
    Job job = job_with(masks);
    job.sample.initial_mesh = std::make_shared<const TriangleMesh>(given);
    Steps(options_, engine_, trace_).make_meshes({&job, 1});
    EXPECT_FALSE(job.result.failed()) << job.result.reason;
    return job;
  };
  TriangleMesh ellipsoid = testing::icosphere(3);
  for (Eigen::Vector3f& vertex : ellipsoid.vertices) vertex = vertex.cwiseProduct(axes.cast<float>());
  const Job kept = made_from(ellipsoid);
  ASSERT_EQ(kept.result.warnings.size(), 1U);
  EXPECT_EQ(kept.result.warnings.front().code, "stage_2");
  EXPECT_EQ(kept.mesh_in(Frame::kWorld).vertices, ellipsoid.vertices);
  EXPECT_GT(kept.result.fit->iou_after, 0.97);
  TriangleMesh small = sphere_;
  for (Eigen::Vector3f& vertex : small.vertices) vertex *= 0.5F;
  const Job sphere = made_from(small);
  EXPECT_TRUE(sphere.result.warnings.empty());
  EXPECT_EQ(sphere.meshes.back().mesh.vertices, sphere.reconstruction.vertices());
}

// Guards allow no step of a mesh whose faces intersect, which stage 2 leaves of one that is far from the object.
TEST_F(FitStepTest, AMeshFromAFileIsFittedWithoutStage2IfStage2CrumplesIt) {
  options_.run.initial = {.kind = InitialShape::Kind::kFile, .file = "ball.obj"};
  Job job = job_with(testing::box_masks({0.13, 0.11, 0.12}, 8));
  job.sample.initial_mesh = std::make_shared<const TriangleMesh>(sphere_);
  TriangleMesh crumpled = sphere_;
  for (std::size_t i = 0; i < crumpled.vertices.size(); ++i) crumpled.vertices[i] *= i % 3 == 0 ? 0.6F : 1.2F;
  for (std::size_t i = 0; i < crumpled.vertices.size(); i += 7) crumpled.vertices[i].x() *= -1;
  job.reconstruction.refined = {in_network_frame(crumpled, job.sample).vertices};
  Steps(options_, engine_, trace_).make_meshes({&job, 1});
  ASSERT_FALSE(job.result.failed()) << job.result.reason;
  ASSERT_FALSE(job.result.warnings.empty());
  EXPECT_EQ(job.result.warnings.front().code, "stage_2");
  EXPECT_GT(job.result.fit->iou_after, 0.95);
}

TEST_F(FitStepTest, MasksOfAHullOrAVolumeMayNotBeForTheFit) {
  Sample sample = job_with(testing::box_masks({0.13, 0.11, 0.12}, 5)).sample;
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
  Job job = job_with(testing::box_masks({0.13, 0.11, 0.12}, 2));
  const Points before = job.reconstruction.vertices();
  Steps(options_, engine_, trace_).make_meshes({&job, 1});
  EXPECT_EQ(job.result.fit->steps, 0);
  EXPECT_EQ(job.meshes.back().mesh.vertices, before);
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
