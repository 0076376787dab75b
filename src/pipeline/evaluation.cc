#include "pipeline/evaluation.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "base/bounded_queue.h"
#include "base/first_failure.h"
#include "pipeline/inference.h"

namespace p2mpp {
namespace {

// Batches that wait between two stages, beside those that their threads have in hand.
constexpr std::size_t kWaitingBatches = 2;

struct JobBatch {
  std::size_t first = 0;  // entry's index
  std::vector<Job> jobs;
};

// Adds the time that it lives.
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

// One evaluation on its way: readers, the caller's thread that computes, writers.
class Pipeline {
 public:
  Pipeline(std::span<const ListEntry> entries, const EvaluationOptions& options, const Reconstructor& reconstructor,
           Trace& trace, const EvaluationObserver& observer)
      : entries_(entries),
        batch_(options.batch),
        stages_(options, reconstructor, trace),
        inference_(reconstructor, trace),
        observer_(observer),
        is_done_(entries.size()) {
    results_.reserve(entries.size());
    for (const ListEntry& entry : entries) {
      SampleResult& result = results_.emplace_back();
      result.id = entry.id;  // all memory is taken now: a run of days must not fail for want of it
      result.category = entry.category;
    }
  }

  void run(const StageThreads& threads) {
    threads_ = {.read = std::max(threads.read, 1), .write = std::max(threads.write, 1)};
    readers_left_ = threads_.read;
    {
      std::vector<std::jthread> others;
      for (int i = 0; i < threads_.read; ++i) others.emplace_back([this] { guarded([this] { read(); }); });
      for (int i = 0; i < threads_.write; ++i) others.emplace_back([this] { guarded([this] { write(); }); });
      guarded([this] { compute(); });
      to_write_.close();
    }
    failure_.rethrow();
  }

  Evaluation take_evaluation() {
    Evaluation evaluation;
    std::size_t done = 0;
    for (std::size_t i = 0; i < results_.size(); ++i) {
      if (!is_done_[i]) continue;
      if (!results_[i].failed()) evaluation.compute_seconds += results_[i].compute_ms / 1000;
      if (done != i) results_[done] = std::move(results_[i]);
      ++done;
    }
    evaluation.stopped = done < results_.size();
    results_.resize(done);
    evaluation.results = std::move(results_);
    evaluation.stages = {
        {"read", threads_.read, reading_}, {"compute", 1, computing_}, {"write", threads_.write, writing_}};
    if (inference_.device_seconds() > 0) evaluation.stages.push_back({"device", 1, inference_.device_seconds()});
    return evaluation;
  }

 private:
  // What a stage throws ends all of them; run() throws the first of it again.
  template <typename Stage>
  void guarded(const Stage& stage) {
    failure_.guard(stage, [this] {
      to_compute_.abandon();
      to_write_.abandon();
    });
  }

  void read() {
    while (!observer_.stop_requested()) {
      const std::size_t first = next_.fetch_add(batch_);
      if (first >= entries_.size()) break;
      if (!to_compute_.push(read_batch(first))) return;
    }
    if (readers_left_.fetch_sub(1) == 1) to_compute_.close();
  }

  JobBatch read_batch(std::size_t first) {
    const BusyTime busy(reading_);
    JobBatch batch{first, {}};
    for (const ListEntry& entry : entries_.subspan(first, std::min(batch_, entries_.size() - first))) {
      batch.jobs.push_back(stages_.read(entry));
    }
    return batch;
  }

  void compute() {
    compute_all(to_compute_, to_write_, inference_, observer_.stop_requested, [this](const auto& work) {
      const BusyTime busy(computing_);
      work();
    });
  }

  void write() {
    while (auto batch = to_write_.pop()) {
      const BusyTime busy(writing_);
      std::vector<SampleResult> done;
      stages_.write(batch->jobs);
      for (Job& job : batch->jobs) {
        stages_.score(job);
        done.push_back(std::move(job.result));
      }
      enter(batch->first, std::move(done));
    }
  }

  void enter(std::size_t first, std::vector<SampleResult> done) {
    const std::lock_guard lock(mutex_);
    observer_.on_batch(done);
    for (SampleResult& result : done) {
      observer_.on_result(result);
      result.files.clear();
      results_[first] = std::move(result);
      is_done_[first++] = true;
    }
  }

  const std::span<const ListEntry> entries_;
  const std::size_t batch_;
  const Stages stages_;
  Inference inference_;
  const EvaluationObserver& observer_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<int> readers_left_ = 0;
  StageThreads threads_;
  std::atomic<double> reading_ = 0, computing_ = 0, writing_ = 0;  // seconds at work, of all threads
  BoundedQueue<JobBatch> to_compute_{kWaitingBatches}, to_write_{kWaitingBatches};
  std::mutex mutex_;                   // of what follows, and of the observer
  std::vector<SampleResult> results_;  // an entry each
  std::vector<bool> is_done_;
  FirstFailure failure_;
};

}  // namespace

StageThreads spare_stage_threads(DeviceKind computing, int cores) {
  const bool on_gpu = computing == DeviceKind::kCuda;
  return {.read = std::max(cores / (on_gpu ? 4 : 16), 1), .write = std::max(cores / (on_gpu ? 2 : 16), 1)};
}

Evaluation evaluate(std::span<const ListEntry> entries, const EvaluationOptions& options, const StageThreads& threads,
                    const Reconstructor& reconstructor, Trace& trace, const EvaluationObserver& observer) {
  const auto begin = std::chrono::steady_clock::now();
  Pipeline pipeline(entries, options, reconstructor, trace, observer);
  pipeline.run(threads);
  Evaluation evaluation = pipeline.take_evaluation();
  evaluation.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return evaluation;
}

}  // namespace p2mpp
