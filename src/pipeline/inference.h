#pragma once

#include <deque>
#include <exception>
#include <optional>
#include <span>
#include <vector>

#include "base/bounded_queue.h"
#include "pipeline/stages.h"

namespace p2mpp {

/// The stage that computes: batches of jobs come back in the order in which they were submitted, while further ones are
/// on their way. Jobs that failed before are left alone.
class Inference {
 public:
  /// Both must outlive this object.
  Inference(const Reconstructor& reconstructor, Trace& trace) : reconstructor_(reconstructor), trace_(trace) {}
  Inference(const Inference&) = delete;
  Inference& operator=(const Inference&) = delete;
  /// What has not been collected is computed for nobody.
  ~Inference();

  /// How long the device's kernels ran, for all that was collected; 0 where it was not watched.
  [[nodiscard]] double device_seconds() const { return device_seconds_; }

  [[nodiscard]] bool is_empty() const { return batches_.empty(); }
  /// No further batch would be of use before one is collected.
  [[nodiscard]] bool is_full() const { return batches_.size() >= reconstructor_.batches_in_flight; }

  /// Begins a batch. The jobs stay where they are until it is collected.
  void submit(std::span<Job> jobs);

  /// Finishes the batch that was submitted first. Where its jobs fail together (out of memory, a bad sample), half of
  /// them are computed at a time, down to each by itself, so that a bad sample takes no other with it.
  void collect();

 private:
  using Clock = Trace::Clock;

  struct Batch {
    std::vector<Job*> jobs = {};
    std::vector<Sample> samples = {};  // the jobs', while they are computed
    Clock::time_point begin = {};
    Clock::time_point end = {};
    bool is_back = false;  // with its outcomes or its failure
    std::vector<Outcome> outcomes = {};
    std::vector<DeviceSpan> device_spans = {};
    std::exception_ptr failure = nullptr;
  };

  void begin(Batch& batch, std::span<Job* const> jobs);
  void await(Batch& batch);
  void settle(Batch& batch);
  void finish(Batch& batch);
  void compute_halves(std::span<Job* const> jobs);

  const Reconstructor& reconstructor_;
  Trace& trace_;
  std::deque<Batch> batches_;
  Clock::time_point last_end_ = {};  // of what came back last
  double device_seconds_ = 0;
};

/// Takes batches, which have `jobs`, from one queue to the next, until the first gives none or the second takes none; a
/// further one is submitted before the last is collected. Once `stopped` says so, only what is on its way is finished.
/// `working` is called with what is not waiting for other stages.
template <typename Batch, typename Stopped, typename Working>
void compute_all(BoundedQueue<Batch>& from, BoundedQueue<Batch>& to, Inference& inference, const Stopped& stopped,
                 const Working& working) {
  std::deque<Batch> on_way;
  for (bool more_may_come = true;;) {
    while (more_may_come && !inference.is_full()) {
      std::optional<Batch> batch = on_way.empty() ? from.pop() : from.try_pop();
      if (stopped()) {
        from.abandon();
        more_may_come = false;
      } else if (batch) {
        on_way.push_back(*std::move(batch));
        working([&] { inference.submit(on_way.back().jobs); });
      } else {
        more_may_come = !on_way.empty();
        break;
      }
    }
    if (on_way.empty()) return;
    working([&] { inference.collect(); });
    if (!to.push(std::move(on_way.front()))) return;
    on_way.pop_front();
  }
}

}  // namespace p2mpp
