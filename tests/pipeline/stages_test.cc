#include "pipeline/stages.h"

#include "pipeline/evaluation_fixture.h"
#include "pipeline/inference.h"

namespace p2mpp {
namespace {

class StagesTest : public EvaluationFixture {
 protected:
  // One entry through all stages.
  Job run(const ListEntry& entry) {
    Job job = stages_.read(entry);
    Inference inference(reconstructor_, trace_);
    inference.submit(std::span(&job, 1));
    inference.collect();
    stages_.write({&job, 1});
    stages_.score(job);
    return job;
  }

  Reconstructor reconstructor_ = engine_.reconstructor();
  Stages stages_{options_, reconstructor_, trace_};
};

TEST_F(StagesTest, AGoodSampleIsWrittenAndScored) {
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

TEST_F(StagesTest, TimesAreTheSamplesOwn) {
  const ListEntry entry = add_sample("chair", "a");
  const SampleResult result = run(entry).result;
  EXPECT_GT(result.times[Part::kRead], 0);
  EXPECT_GT(result.times[Part::kWrite], 0);
  EXPECT_EQ(result.times[Part::kCnn1], 2);
  EXPECT_EQ(result.times[Part::kDrb], 5);
  EXPECT_GT(result.compute_ms, 0);
  EXPECT_DOUBLE_EQ(result.total_ms(), result.times[Part::kRead] + result.compute_ms + result.times[Part::kWrite]);
}

TEST_F(StagesTest, WithoutATruthRootNothingIsScored) {
  options_.truth_root.clear();
  const SampleResult result = run(add_sample("chair", "a")).result;
  EXPECT_EQ(result.status, SampleStatus::kDone);
  EXPECT_FALSE(result.scores);
}

TEST_F(StagesTest, AMissingTruthLeavesTheMesh) {
  const ListEntry entry = add_sample("chair", "a");
  const SampleResult result = run(entry).result;
  EXPECT_EQ(result.status, SampleStatus::kNotScored);
  EXPECT_NE(result.reason.find("chair_a_00"), std::string::npos) << result.reason;
  EXPECT_TRUE(has_mesh(entry));
}

TEST_F(StagesTest, ABadTruthLeavesTheMesh) {
  const ListEntry entry = add_sample("chair", "a");
  write_file_atomically(options_.truth_root / (entry.id + ".xyz"), "1 2 nan\n");
  const SampleResult result = run(entry).result;
  EXPECT_EQ(result.status, SampleStatus::kNotScored);
  EXPECT_FALSE(result.reason.empty());
  EXPECT_FALSE(result.scores);
  EXPECT_TRUE(has_mesh(entry));
}

TEST_F(StagesTest, MetricsAreOfCamera0WhateverIsWritten) {
  const ListEntry entry = add_sample("chair", "a");
  add_truth(entry);
  options_.frame = Frame::kWorld;
  const SampleResult result = run(entry).result;
  ASSERT_TRUE(result.scores);
  EXPECT_EQ(result.scores->vertices.chamfer_distance, 0);
  EXPECT_EQ(read_points(options_.out / (entry.id + "_predict.xyz")).front(), Eigen::Vector3f(1, 1, 1));
}

TEST_F(StagesTest, AnEntryWithAProblemIsNotLookedAt) {
  ListEntry entry = add_sample("chair", "a");
  entry.problem = "is a duplicate of line 1";
  const SampleResult result = run(entry).result;
  EXPECT_EQ(result.status, SampleStatus::kFailed);
  EXPECT_EQ(result.reason, "is a duplicate of line 1");
  EXPECT_TRUE(engine_.batch_sizes.empty());
  EXPECT_FALSE(has_mesh(entry));
}

TEST_F(StagesTest, AMissingSampleIsNamed) {
  add_sample("chair", "a");
  const SampleResult result =
      run({.line = 7, .id = "chair_x_00", .category = "chair", .model = "x", .problem = {}}).result;
  EXPECT_EQ(result.status, SampleStatus::kFailed);
  EXPECT_EQ(result.line, 7U);
  EXPECT_NE(result.reason.find("chair/x"), std::string::npos) << result.reason;
}

TEST_F(StagesTest, ATruncatedImageIsNamed) {
  const ListEntry entry = add_sample("chair", "a");
  const auto image = options_.images_root / "chair" / "a" / "rendering" / "01.png";
  std::filesystem::resize_file(image, 50);
  const SampleResult result = run(entry).result;
  EXPECT_EQ(result.status, SampleStatus::kFailed);
  EXPECT_NE(result.reason.find("01.png"), std::string::npos) << result.reason;
  EXPECT_FALSE(has_mesh(entry));
}

TEST_F(StagesTest, VerticesThatAreNotFiniteAreNotWritten) {
  const ListEntry entry = add_sample("chair", "a", 359);
  const SampleResult result = run(entry).result;
  EXPECT_EQ(result.status, SampleStatus::kFailed);
  EXPECT_NE(result.reason.find("not finite"), std::string::npos) << result.reason;
  EXPECT_FALSE(has_mesh(entry));
}

TEST_F(StagesTest, AnUnwritableMeshFailsItsSample) {
  const ListEntry entry = add_sample("chair", "a");
  std::filesystem::remove(options_.out);
  const SampleResult result = run(entry).result;
  EXPECT_EQ(result.status, SampleStatus::kFailed);
  EXPECT_NE(result.reason.find("_predict.obj"), std::string::npos) << result.reason;
}

TEST(SampleStatusName, IsOneWord) {
  EXPECT_EQ(to_string(SampleStatus::kDone), "done");
  EXPECT_EQ(to_string(SampleStatus::kNotScored), "not_scored");
  EXPECT_EQ(to_string(SampleStatus::kFailed), "failed");
}

}  // namespace
}  // namespace p2mpp
