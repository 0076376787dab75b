#include "eval/evaluation.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <mutex>

#include "io/image/pixel_budget.h"

namespace p2mpp {
namespace {

// State of one evaluation. A job's number is the index of its entry.
class ListEvaluation {
 public:
  ListEvaluation(std::span<const ListEntry> entries, const PipelineOptions& options, Reconstructor& reconstructor,
                 Trace& trace, const EvaluationObserver& observer)
      : entries_(entries),
        batch_(options.batch),
        steps_(options, reconstructor, trace),
        observer_(observer),
        budget_(options.reading.max_pixels),
        is_done_(entries.size()) {
    results_.reserve(entries.size());
    for (const ListEntry& entry : entries) {
      SampleResult& result = results_.emplace_back();
      result.id = entry.id;  // allocate now: a run of days must not end out of memory
      result.category = entry.category;
    }
  }

  Evaluation run(const StepThreads& threads, Reconstructor& reconstructor, Trace& trace) {
    const PipelineSteps steps{.read = [this] { return read(); },
                              .write = [this](std::vector<Job> jobs) { write(std::move(jobs)); },
                              .stop_requested = observer_.stop_requested,
                              .on_failure = [this] { budget_.close(); }};
    Evaluation evaluation;
    evaluation.steps = run_pipeline(steps, threads, reconstructor, trace);
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
    return evaluation;
  }

 private:
  struct LineRange {
    std::size_t begin, end;
  };

  std::vector<Job> read() {
    std::vector<Job> jobs;
    LineRange range = next_range();
    for (; range.begin < range.end && budget_.admit(jobs.empty()); ++range.begin) {
      jobs.push_back(steps_.read(entries_[range.begin]));
      jobs.back().number = range.begin;
      charge(budget_, jobs.back());
    }
    if (range.begin < range.end) {
      const std::lock_guard lock(ranges_mutex_);
      ranges_.push_back(range);
    }
    return jobs;
  }

  // The entries of a batch, or those left of one that was cut short.
  LineRange next_range() {
    const std::lock_guard lock(ranges_mutex_);
    if (!ranges_.empty()) {
      const LineRange range = ranges_.front();
      ranges_.pop_front();
      return range;
    }
    const std::size_t begin = std::min(next_, entries_.size());
    next_ = std::min(begin + batch_, entries_.size());
    return {begin, next_};
  }

  void write(std::vector<Job> jobs) {
    steps_.make_meshes(jobs);
    steps_.write(jobs);
    rethrow_disk_error(jobs);
    std::vector<SampleResult> done;
    for (Job& job : jobs) {
      steps_.score(job);
      done.push_back(std::move(job.result));
    }
    const std::lock_guard lock(mutex_);
    if (record_failed_) return;
    record_failed_ = true;  // until on_batch has returned
    observer_.on_batch(done);
    record_failed_ = false;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      observer_.on_result(done[i]);
      done[i].files.clear();
      results_[jobs[i].number] = std::move(done[i]);
      is_done_[jobs[i].number] = true;
    }
  }

  const std::span<const ListEntry> entries_;
  const std::size_t batch_;
  const Steps steps_;
  const EvaluationObserver& observer_;
  PixelBudget budget_;
  std::mutex ranges_mutex_;  // guards the two members below
  std::size_t next_ = 0;
  std::deque<LineRange> ranges_;       // of batches that were cut short
  std::mutex mutex_;                   // guards the members below and calls of the observer
  std::vector<SampleResult> results_;  // one per entry
  std::vector<bool> is_done_;
  bool record_failed_ = false;  // then no other batch is recorded
};

}  // namespace

std::vector<const SampleResult*> results_with_mesh(const Evaluation& evaluation) {
  std::vector<const SampleResult*> results;
  for (const SampleResult& result : evaluation.results) {
    if (!result.failed()) results.push_back(&result);
  }
  return results;
}

Evaluation evaluate(std::span<const ListEntry> entries, const PipelineOptions& options, const StepThreads& threads,
                    Reconstructor& reconstructor, Trace& trace, const EvaluationObserver& observer) {
  const auto begin = std::chrono::steady_clock::now();
  Evaluation evaluation =
      ListEvaluation(entries, options, reconstructor, trace, observer).run(threads, reconstructor, trace);
  evaluation.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return evaluation;
}

}  // namespace p2mpp
