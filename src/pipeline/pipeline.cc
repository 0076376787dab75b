#include "pipeline/pipeline.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "base/bounded_queue.h"
#include "base/parallel.h"
#include "pipeline/inference.h"

namespace p2mpp {
namespace {

// Adds its own lifetime to a sum of seconds.
class BusyTime {
 public:
  explicit BusyTime(std::atomic<double>& seconds) : seconds_(seconds) {}
  BusyTime(const BusyTime&) = delete;
  BusyTime& operator=(const BusyTime&) = delete;
  ~BusyTime() { seconds_.fetch_add(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count()); }

 private:
  std::atomic<double>& seconds_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

class Pipeline {
 public:
  Pipeline(const PipelineSteps& steps, const StepThreads& threads, Reconstructor& reconstructor, Trace& trace)
      : steps_(steps),
        threads_{.read = std::max(threads.read, 1), .write = std::max(threads.write, 1)},
        readers_left_(threads_.read),
        inference_(reconstructor, trace),
        to_compute_(steps.waiting_batches),
        to_write_(steps.waiting_batches) {}

  std::vector<StepUse> run() {
    {
      std::vector<std::jthread> others;
      // A thread that cannot be started ends the others, too: they would wait for it.
      guarded([&] {
        for (int i = 0; i < threads_.read; ++i) others.emplace_back([this] { guarded([this] { read(); }); });
        for (int i = 0; i < threads_.write; ++i) others.emplace_back([this] { guarded([this] { write(); }); });
        compute();
      });
      to_write_.close();
    }
    failure_.rethrow();
    std::vector<StepUse> use = {
        {"read", threads_.read, reading_}, {"compute", 1, computing_}, {"write", threads_.write, writing_}};
    if (inference_.device_seconds() > 0) use.push_back({"device", 1, inference_.device_seconds()});
    return use;
  }

 private:
  // An exception in one step ends all of them.
  template <typename Step>
  void guarded(const Step& step) {
    failure_.guard(step, [this] {
      to_compute_.abandon();
      to_write_.abandon();
      steps_.on_failure();
    });
  }

  void read() {
    while (!steps_.stop_requested()) {
      std::vector<Job> jobs = read_batch();
      if (jobs.empty()) break;
      if (!to_compute_.push(std::move(jobs))) return;
    }
    if (readers_left_.fetch_sub(1) == 1) to_compute_.close();
  }

  std::vector<Job> read_batch() {
    const BusyTime busy(reading_);
    return steps_.read();
  }

  // The next batch is submitted before the oldest is collected, so that the device stays busy. After a stop, only the
  // batches in flight are completed.
  void compute() {
    for (bool more_may_come = true;;) {
      while (more_may_come && !inference_.is_full()) {
        std::optional<std::vector<Job>> jobs = inference_.is_empty() ? to_compute_.pop() : to_compute_.try_pop();
        if (steps_.stop_requested()) {
          to_compute_.abandon();
          more_may_come = false;
        } else if (jobs) {
          const BusyTime busy(computing_);
          inference_.submit(*std::move(jobs));
        } else {
          more_may_come = !inference_.is_empty();
          break;
        }
      }
      if (inference_.is_empty()) return;
      if (!to_write_.push(collect())) return;
    }
  }

  std::vector<Job> collect() {
    const BusyTime busy(computing_);
    return inference_.collect();
  }

  void write() {
    while (std::optional<std::vector<Job>> jobs = to_write_.pop()) {
      const BusyTime busy(writing_);
      steps_.write(*std::move(jobs));
    }
  }

  const PipelineSteps& steps_;
  const StepThreads threads_;
  std::atomic<int> readers_left_;
  Inference inference_;
  BoundedQueue<std::vector<Job>> to_compute_, to_write_;
  std::atomic<double> reading_ = 0, computing_ = 0, writing_ = 0;  // seconds, summed over the threads
  FirstFailure failure_;
};

}  // namespace

StepThreads spare_step_threads(DeviceKind computing, int cores) {
  const bool on_gpu = computing == DeviceKind::kCuda;
  return {.read = std::max(cores / (on_gpu ? 4 : 16), 1), .write = std::max(cores / (on_gpu ? 2 : 16), 1)};
}

std::vector<StepUse> run_pipeline(const PipelineSteps& steps, const StepThreads& threads, Reconstructor& reconstructor,
                                  Trace& trace) {
  return Pipeline(steps, threads, reconstructor, trace).run();
}

}  // namespace p2mpp
