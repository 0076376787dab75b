
#include "pipeline/inference.h"
#include "pipeline/steps.h"
#include "support/drawn_masks.h"
#include "support/evaluation_fixture.h"
#include "support/growth.h"

namespace p2mpp {
namespace {

class StoppedStepsTest : public EvaluationFixture {
 protected:
  StoppedStepsTest() {
    options_.run.surface = {SurfaceChoice::Kind::kVolume, 64, 500};
    options_.run.fit_steps = 3;
    options_.reading.threads = 2;
    options_.truth_root.clear();

    options_.stop = std::make_shared<StopQuestion>([this] {
      if (++asked_ < end_) return false;
      double never = 0;
      ended_.compare_exchange_strong(never, processor_seconds());
      return true;
    });
  }

  // Reads, hulls, fits, makes a surface and writes, until the question is asked for the end-th time.
  Job run(const ListEntry& entry, std::size_t end) {
    asked_ = 0;
    end_ = end;
    ended_ = 0;
    const Steps steps(options_, engine_, trace_);
    std::vector<Job> jobs;
    jobs.push_back(steps.read(entry));
    jobs.back().sample.fit_masks = masks_;
    Inference inference(engine_, trace_);
    inference.submit(std::move(jobs));
    Job job = std::move(inference.collect().front());
    steps.make_meshes({&job, 1});
    steps.write({&job, 1});
    return job;
  }

  const std::vector<FitMask> masks_ = testing::ellipsoid_masks(Eigen::Vector3d(0.2, 0.14, 0.16).asDiagonal(), 8, 48);
  std::atomic<std::size_t> asked_ = 0, end_ = 0;
  std::atomic<double> ended_ = 0;
};

TEST_F(StoppedStepsTest, EndSoonAfterAnyQuestionAndLeaveNothing) {
  const ListEntry entry = add_sample("chair", "a");
  std::size_t ends = 0;
  for (std::size_t n = 1;; n *= 2, ++ends) {
    const Job job = run(entry, n);
    if (!job.result.failed()) break;
    EXPECT_LT(processor_seconds() - ended_, 0.2) << n;
    EXPECT_TRUE(job.is_stopped) << n << job.result.reason;
    EXPECT_EQ(job.result.reason, "it was given up");
    EXPECT_TRUE(job.result.not_its_input);
    EXPECT_TRUE(std::filesystem::is_empty(options_.out)) << n;
  }
  EXPECT_GT(ends, 10U);
  EXPECT_TRUE(has_mesh(entry));
}

}  // namespace
}  // namespace p2mpp
