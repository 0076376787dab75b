#include "pipeline/pipeline.h"

#include <atomic>
#include <condition_variable>
#include <mutex>

#include "support/evaluation_fixture.h"

namespace p2mpp {
namespace {

// Batches of one sample, as many as are asked for.
class PipelineTest : public EvaluationFixture {
 protected:
  PipelineTest() { engine_.most_batches = 2; }

  std::vector<StepUse> run(std::size_t batches, const StepThreads& threads = {}) {
    const ListEntry entry = add_sample("chair", "a");
    const Steps samples(options_, engine_, trace_);
    const PipelineSteps steps{.read =
                                  [&] {
                                    const std::size_t number = next_++;
                                    on_read_(number);
                                    std::vector<Job> jobs;
                                    if (number >= batches) return jobs;
                                    jobs.push_back(samples.read(entry));
                                    jobs.back().number = number;
                                    return jobs;
                                  },
                              .write = [&](const std::vector<Job>& jobs) { write(jobs); },
                              .stop_requested = [this] { return stop_requested_.load(); },
                              .on_failure = [this] { has_failed_ = true; }};
    return run_pipeline(steps, threads, engine_, trace_);
  }

  void write(const std::vector<Job>& jobs) {
    const std::lock_guard lock(mutex_);
    written_.push_back(jobs.front().number);
    on_write_(written_.size());
  }

  std::function<void(std::size_t)> on_read_ = [](std::size_t) {}, on_write_ = [](std::size_t) {};
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> stop_requested_ = false, has_failed_ = false;
  std::mutex mutex_;
  std::vector<std::size_t> written_;
};

TEST_F(PipelineTest, TheNextBatchIsSubmittedBeforeTheOldestIsCollected) {
  std::mutex mutex;
  std::condition_variable changed;
  std::size_t reads = 0;
  on_read_ = [&](std::size_t number) {
    const std::lock_guard lock(mutex);
    reads = number + 1;
    changed.notify_all();
  };
  engine_.on_submit = [&] {  // when the third is being read, the second waits to be computed
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return reads >= 3; });
  };
  const std::vector<StepUse> use = run(5);
  EXPECT_EQ(written_, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(engine_.most_in_flight, 2U);
  ASSERT_EQ(use.size(), 3U);
  EXPECT_EQ(use[0].name, "read");
  EXPECT_GT(use[1].busy_seconds, 0);
  EXPECT_FALSE(has_failed_);
}

TEST_F(PipelineTest, AnExceptionEndsAllSteps) {
  on_write_ = [&](std::size_t count) {
    if (count == 2) throw Error("stdout is full");
  };
  EXPECT_THROW(static_cast<void>(run(100)), Error);
  EXPECT_EQ(written_.size(), 2U);
  EXPECT_TRUE(has_failed_);
  EXPECT_TRUE(engine_.submitted.empty());
}

TEST_F(PipelineTest, AReaderThatThrowsEndsAllSteps) {
  on_read_ = [&](std::size_t number) {
    if (number == 3) throw Error("no memory for a list");
  };
  EXPECT_THROW(static_cast<void>(run(100)), Error);
  EXPECT_LE(written_.size(), 3U);
  EXPECT_TRUE(has_failed_);
}

TEST(SpareStepThreads, AreThoseThatDoNotCompute) {
  for (const int cores : {1, 2, 16, 64, 128}) {
    const StepThreads beside_gpu = spare_step_threads(DeviceKind::kCuda, cores);
    const StepThreads beside_cpu = spare_step_threads(DeviceKind::kCpu, cores);
    EXPECT_LE(beside_gpu.read + beside_gpu.write, std::max(cores, 2));
    EXPECT_LE(beside_cpu.read + beside_cpu.write, std::max(cores / 8, 2));
    EXPECT_GE(std::min({beside_gpu.read, beside_gpu.write, beside_cpu.read, beside_cpu.write}), 1);
  }
  EXPECT_EQ(spare_step_threads(DeviceKind::kCuda, 16).write, 8);
}

}  // namespace
}  // namespace p2mpp
