#include "pipeline/steps.h"

#include "base/sha256.h"
#include "pipeline/inference.h"
#include "support/evaluation_fixture.h"

namespace p2mpp {
namespace {

class StepsTest : public EvaluationFixture {
 protected:
  // One entry through all steps.
  Job run(const ListEntry& entry) {
    Job job = steps_.read(entry);
    Inference inference(engine_, trace_);
    std::vector<Job> jobs;
    jobs.push_back(std::move(job));
    inference.submit(std::move(jobs));
    job = std::move(inference.collect().front());
    steps_.make_meshes({&job, 1});
    steps_.write({&job, 1});
    steps_.score(job);
    return job;
  }

  Steps steps_{options_, engine_, trace_};
};

TEST_F(StepsTest, AGoodSampleIsWrittenAndScored) {
  const ListEntry entry = add_sample("chair", "a");
  add_truth(entry);
  const SampleResult result = run(entry).result;
  EXPECT_EQ(result.status, SampleStatus::kDone);
  EXPECT_EQ(result.reason, "");
  EXPECT_TRUE(has_mesh(entry));
  ASSERT_TRUE(result.scores);
  EXPECT_EQ(result.scores->vertices.chamfer_distance, 0);
  EXPECT_EQ(result.scores->vertices.f1_tau, 100);
  EXPECT_GT(result.scores->coarse.chamfer_distance, 0);
}

TEST_F(StepsTest, TimesAreTheSamplesOwn) {
  const ListEntry entry = add_sample("chair", "a");
  const SampleResult result = run(entry).result;
  EXPECT_GT(result.times[Part::kRead], 0);
  EXPECT_GT(result.times[Part::kWrite], 0);
  EXPECT_EQ(result.times[Part::kCnn1], 2);
  EXPECT_EQ(result.times[Part::kDrb], 5);
  EXPECT_GT(result.compute_ms, 0);
  EXPECT_DOUBLE_EQ(result.total_ms(), result.times[Part::kRead] + result.compute_ms + result.times[Part::kWrite]);
}

TEST_F(StepsTest, AMissingOrBadTruthLeavesTheMesh) {
  const ListEntry entry = add_sample("chair", "a");
  SampleResult result = run(entry).result;
  EXPECT_EQ(result.status, SampleStatus::kNotScored);
  EXPECT_HOLDS(result.reason, "chair_a_00");
  EXPECT_TRUE(has_mesh(entry));
  write_file_atomically(options_.truth_root / (entry.id + ".xyz"), "1 2 nan\n");
  result = run(entry).result;
  EXPECT_EQ(result.status, SampleStatus::kNotScored);
  EXPECT_HOLDS(result.reason, "'nan'");
  EXPECT_FALSE(result.scores);
}

TEST_F(StepsTest, MetricsAreOfCamera0WhateverIsWritten) {
  const ListEntry entry = add_sample("chair", "a");
  add_truth(entry);
  options_.run.meshes.frame = Frame::kWorld;
  const SampleResult result = run(entry).result;
  ASSERT_TRUE(result.scores);
  EXPECT_EQ(result.scores->vertices.chamfer_distance, 0);
  const TriangleMesh world = in_frame(tetrahedron(0.75F), run(entry).sample, Frame::kWorld);
  EXPECT_EQ(read_mesh(options_.out / (entry.id + "_predict.xyz")).vertices, world.vertices);
}

TEST_F(StepsTest, AnEntryWithAProblemIsNotLookedAt) {
  ListEntry entry = add_sample("chair", "a");
  entry.problem = "is a duplicate of line 1";
  const SampleResult result = run(entry).result;
  EXPECT_EQ(result.status, SampleStatus::kFailed);
  EXPECT_EQ(result.reason, "is a duplicate of line 1");
  EXPECT_TRUE(engine_.batch_sizes.empty());
  EXPECT_FALSE(has_mesh(entry));
}

TEST_F(StepsTest, AMissingSampleAndATruncatedImageAreNamed) {
  const ListEntry entry = add_sample("chair", "a");
  const SampleResult missing =
      run({.line = 7, .id = "chair_x_00", .category = "chair", .model = "x", .problem = {}}).result;
  EXPECT_EQ(missing.status, SampleStatus::kFailed);
  EXPECT_EQ(missing.line, 7U);
  EXPECT_HOLDS(missing.reason, "chair/x");
  std::filesystem::resize_file(options_.images_root / "chair" / "a" / "rendering" / "01.png", 50);
  const SampleResult truncated = run(entry).result;
  EXPECT_EQ(truncated.status, SampleStatus::kFailed);
  EXPECT_HOLDS(truncated.reason, "01.png");
  EXPECT_FALSE(has_mesh(entry));
}

TEST_F(StepsTest, VerticesThatAreNotFiniteAreNotWritten) {
  const ListEntry entry = add_sample("chair", "a", 359);
  const SampleResult result = run(entry).result;
  EXPECT_EQ(result.status, SampleStatus::kFailed);
  EXPECT_HOLDS(result.reason, "not finite");
  EXPECT_FALSE(has_mesh(entry));
}

TEST_F(StepsTest, CoarseMeshesAreWrittenWhereAskedFor) {
  options_.run.meshes.coarse = true;
  options_.run.meshes.encoding.normals = true;
  const SampleResult result = run(add_sample("chair", "a")).result;
  EXPECT_EQ(result.files.size(), 4U);
  for (const int level : {1, 2}) {
    const std::string name = "chair_a_00_coarse" + std::to_string(level) + ".obj";
    EXPECT_EQ(read_mesh(options_.out / name).vertices, tetrahedron(0.25F * static_cast<float>(level)).vertices);
    EXPECT_EQ(slurp(options_.out / name).find("vn "), std::string::npos) << "those of the result alone";
    EXPECT_EQ(result.files.at(name), sha256_hex(slurp(options_.out / name)));
  }
}

TEST_F(StepsTest, AFailureIsKeptAsItWasThrown) {
  options_.out = folder_.path() / "missing";
  const Job job = run(add_sample("chair", "a"));
  EXPECT_EQ(job.result.status, SampleStatus::kFailed);
  EXPECT_HOLDS(job.result.reason, "_predict.obj");
  ASSERT_TRUE(job.failure);
  const auto rethrow = [&] { std::rethrow_exception(job.failure); };
  EXPECT_EQ(job.result.reason, message_of<Error>(rethrow));
  EXPECT_THROW(EXPECT_EQ(refusal_by<InputError>(rethrow), ""), Error) << "the disk is to blame";
}

}  // namespace
}  // namespace p2mpp
