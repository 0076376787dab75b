#include "pipeline/inference.h"

#include "support/evaluation_fixture.h"

namespace p2mpp {
namespace {

class InferenceTest : public EvaluationFixture {
 protected:
  InferenceTest() { engine_.most_batches = 2; }

  // A job for each first azimuth.
  std::vector<Job> read(const std::vector<float>& azimuths) {
    std::vector<Job> jobs;
    for (const float azimuth_deg : azimuths) {
      jobs.push_back(steps_.read(add_sample("chair", std::to_string(line_), azimuth_deg)));
    }
    return jobs;
  }

  Steps steps_{options_, engine_, trace_};
};

TEST_F(InferenceTest, ABadSampleTakesNoOtherWithIt) {
  engine_.failing_azimuth = 77;
  std::vector<Job> jobs = read({10, 77, 20});
  Inference inference(engine_, trace_);
  inference.submit(std::move(jobs));
  jobs = inference.collect();
  EXPECT_EQ(engine_.batch_sizes, (std::vector<std::size_t>{3, 1, 2, 1, 1}));
  EXPECT_EQ(jobs[0].result.status, SampleStatus::kDone);
  EXPECT_EQ(jobs[1].result.status, SampleStatus::kFailed);
  EXPECT_HOLDS(jobs[1].result.reason, "the device is gone");
  EXPECT_EQ(jobs[2].result.status, SampleStatus::kDone);
  EXPECT_EQ(jobs[2].sample.id, "chair_2_00");
}

TEST_F(InferenceTest, ABadBatchTakesNoOtherWithIt) {
  engine_.failing_azimuth = 77;
  std::vector<Job> first = read({77, 10}), second = read({20}), third = read({77});
  Inference inference(engine_, trace_);
  inference.submit(std::move(first));
  EXPECT_FALSE(inference.is_full());
  inference.submit(std::move(second));
  EXPECT_TRUE(inference.is_full());
  first = inference.collect();
  EXPECT_EQ(engine_.batch_sizes, (std::vector<std::size_t>{2, 1, 1, 1}));  // the halves come after what was on its way
  EXPECT_TRUE(first[0].result.failed());
  EXPECT_EQ(first[1].reconstruction.vertices(), tetrahedron(0.75F).vertices);
  inference.submit(std::move(third));
  second = inference.collect();
  EXPECT_EQ(second[0].reconstruction.vertices(), tetrahedron(0.75F).vertices);
  third = inference.collect();
  EXPECT_TRUE(third[0].result.failed());
  EXPECT_TRUE(inference.is_empty());
}

TEST_F(InferenceTest, ABatchOfNothingButFailuresIsNotComputed) {
  std::vector<Job> jobs(1);
  jobs[0].result.status = SampleStatus::kFailed;
  Inference inference(engine_, trace_);
  inference.submit(std::move(jobs));
  EXPECT_EQ(inference.collect().size(), 1U);
  EXPECT_TRUE(engine_.batch_sizes.empty());
  EXPECT_TRUE(inference.is_empty());
}

TEST_F(InferenceTest, WhatIsNotCollectedDoesNotStayInTheEngine) {
  std::vector<Job> jobs = read({10});
  {
    Inference inference(engine_, trace_);
    inference.submit(std::move(jobs));
  }
  EXPECT_TRUE(engine_.submitted.empty());
}

// The times of batches do not overlap, even if several are in flight.
TEST_F(InferenceTest, TimesAddUpToNoMoreThanTheWallClock) {
  std::vector<Job> first = read({10, 20}), second = read({30});
  const auto begin = std::chrono::steady_clock::now();
  Inference inference(engine_, trace_);
  inference.submit(std::move(first));
  inference.submit(std::move(second));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  first = inference.collect();
  second = inference.collect();
  const std::chrono::duration<double, std::milli> all = std::chrono::steady_clock::now() - begin;
  EXPECT_GE(2 * first[0].result.compute_ms, 20);
  EXPECT_LT(2 * first[0].result.compute_ms + second[0].result.compute_ms, all.count());
  EXPECT_LT(second[0].result.compute_ms, 20);
}

TEST_F(InferenceTest, WhatTheDeviceDidGoesIntoTheTrace) {
  const auto begin = std::chrono::steady_clock::now();
  const auto later = [&](int ms) { return begin + std::chrono::milliseconds(ms); };
  engine_.device_spans = {{Part::kCopyIn, begin, later(1), 0},
                          {Part::kGcn, later(1), later(4), 50},
                          {Part::kCnn2, later(1), later(3), 16},
                          {Part::kDrb, later(4), later(6), 2}};
  std::vector<Job> first = read({10}), second = read({20});
  const auto file = folder_.path() / "trace.json";
  Trace trace(file);
  Inference inference(engine_, trace);
  inference.submit(std::move(first));
  inference.submit(std::move(second));
  static_cast<void>(inference.collect());
  static_cast<void>(inference.collect());
  EXPECT_NEAR(inference.device_seconds(), 2 * 0.005, 1e-9);
  trace.write();
  const std::string text = slurp(file);
  EXPECT_HOLDS(text, "device: kernels beside");
  EXPECT_EQ(text.find(R"("parts")"), std::string::npos);  // which are drawn where nobody knows better
}

}  // namespace
}  // namespace p2mpp
