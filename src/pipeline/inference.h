#pragma once

#include <deque>
#include <exception>
#include <span>
#include <vector>

#include "pipeline/steps.h"

namespace p2mpp {

/// The step that computes, and the one queue of batches in flight: they come back in the order in which they were
/// submitted. Jobs that failed before are left alone. Not thread-safe.
class Inference {
 public:
  /// Both must outlive this object.
  Inference(const Reconstructor& reconstructor, Trace& trace) : reconstructor_(reconstructor), trace_(trace) {}
  Inference(const Inference&) = delete;
  Inference& operator=(const Inference&) = delete;
  /// Waits for batches in flight; their results are dropped.
  ~Inference();

  /// How long the device's kernels ran, for all batches that were collected; 0 where it was not watched.
  [[nodiscard]] double device_seconds() const { return device_seconds_; }

  [[nodiscard]] bool is_empty() const { return batches_.empty(); }
  /// Whether as many batches are in flight as the device can use.
  [[nodiscard]] bool is_full() const { return batches_.size() >= reconstructor_.batches_in_flight; }

  /// Begins a batch. Precondition: is_full() is false.
  void submit(std::vector<Job> jobs);

  /// Waits for the oldest batch and gives its jobs. Where they failed together, halves of them are computed, down to
  /// single jobs, so that a bad sample takes no other with it. Precondition: is_empty() is false.
  [[nodiscard]] std::vector<Job> collect();

 private:
  using Clock = Trace::Clock;

  // What is computed together.
  struct Computation {
    std::vector<Job*> jobs = {};
    std::vector<Sample> samples = {};  // the jobs', while they are computed
    Clock::time_point begin = {};
    Clock::time_point end = {};
    bool is_back = false;  // with its results or its failure
    std::vector<ReconstructionResult> results = {};
    std::vector<DeviceSpan> device_spans = {};
    std::exception_ptr failure = nullptr;
  };
  struct Batch {
    std::vector<Job> jobs;
    Computation computation = {};
  };

  [[nodiscard]] Computation begin(std::span<Job* const> jobs);
  void await(Computation& computation);
  void settle(Computation& computation);
  void finish(Computation& computation);
  void compute_halves(std::span<Job* const> jobs);

  const Reconstructor& reconstructor_;
  Trace& trace_;
  std::deque<Batch> batches_;        // in flight, the oldest first
  Clock::time_point last_end_ = {};  // of the computation that came back last
  double device_seconds_ = 0;
};

}  // namespace p2mpp
