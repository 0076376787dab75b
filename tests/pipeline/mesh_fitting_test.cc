#include "pipeline/mesh_fitting.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "pipeline/steps.h"
#include "support/drawn_masks.h"
#include "support/fake_engine.h"
#include "support/test_meshes.h"

namespace p2mpp {
namespace {

// Gives spheres.
class SphereEngine : public FakeEngine {
 public:
  [[nodiscard]] TriangleMesh mesh(const Sample& /*sample*/, const Reconstruction& reconstruction) const override {
    return {reconstruction.vertices(), testing::icosphere(3).triangles};
  }
};

class FitStepTest : public ::testing::Test {
 protected:
  FitStepTest() {
    for (Eigen::Vector3f& vertex : sphere_.vertices) vertex *= 0.12F;
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

  EvaluationOptions options_;
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
  EXPECT_NEAR(jobs[0].mesh().vertices[0].norm(), before[0].norm(), 0.05);
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
  EXPECT_NE(job.result.reason.find("mask 1: the rotation"), std::string::npos) << job.result.reason;
}

// Where the network lost the object, the result is the hull of its masks.
TEST_F(FitStepTest, AHopelessMeshGivesWayToTheHull) {
  for (Eigen::Vector3f& vertex : sphere_.vertices) vertex = 0.25F * vertex + Eigen::Vector3f(0.1F, 0.15F, 0);
  Job job = job_with(testing::box_masks({0.13, 0.11, 0.12}, 5));
  Steps(options_, engine_, trace_).make_meshes({&job, 1});
  ASSERT_TRUE(job.result.fit) << job.result.reason;
  EXPECT_LT(job.result.fit->iou_before, kHopelessIou);
  EXPECT_GT(job.result.fit->iou_after, 0.97);
  EXPECT_NE(job.result.fit->note.find(": their hull takes its place"), std::string::npos) << job.result.fit->note;
  EXPECT_FALSE(job.sample.initial_mesh) << "the input stays";
  ASSERT_EQ(job.meshes.size(), 3U);
  EXPECT_EQ(job.meshes[0].mesh.vertices.size(), sphere_.vertices.size());
  EXPECT_EQ(job.meshes[1].name, "hull");
  EXPECT_EQ(job.meshes[1].mesh.triangles, job.mesh().triangles);
  // A mesh that somebody gave stays his.
  Job given = job_with(testing::box_masks({0.13, 0.11, 0.12}, 5));
  given.sample.initial_mesh = std::make_shared<const TriangleMesh>(sphere_);
  Steps(options_, engine_, trace_).make_meshes({&given, 1});
  EXPECT_EQ(given.mesh().vertices.size(), sphere_.vertices.size());
  EXPECT_NE(given.result.fit->note.find("cannot be trusted"), std::string::npos);
  // Of contradicting masks, there is none.
  std::vector<FitMask> masks = testing::box_masks({0.13, 0.11, 0.12}, 2);
  masks[1].camera = masks[0].camera;
  Job lost = job_with(masks);
  Steps(options_, engine_, trace_).make_meshes({&lost, 1});
  EXPECT_EQ(lost.mesh().vertices.size(), sphere_.vertices.size());
  EXPECT_FALSE(lost.result.failed());
}

TEST_F(FitStepTest, StepsAndMasksAreTheOptions) {
  options_.run.fit_steps = 0;
  Job job = job_with(testing::box_masks({0.13, 0.11, 0.12}, 2));
  const Points before = job.reconstruction.vertices();
  Steps(options_, engine_, trace_).make_meshes({&job, 1});
  EXPECT_EQ(job.result.fit->steps, 0);
  EXPECT_EQ(job.mesh().vertices, before);
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
