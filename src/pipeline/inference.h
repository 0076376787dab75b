#pragma once

#include <deque>
#include <exception>
#include <span>
#include <vector>

#include "base/clock.h"
#include "pipeline/steps.h"

namespace p2mpp {

/// The computing step, with the only queue of batches in flight. Batches are collected in the order of submission. Jobs
/// that have already failed are skipped. Not thread-safe.
class Inference {
 public:
  /// Both must outlive this object.
  Inference(Reconstructor& reconstructor, Trace& trace) : reconstructor_(reconstructor), trace_(trace) {}
  Inference(const Inference&) = delete;
  Inference& operator=(const Inference&) = delete;
  /// Waits for the batches in flight and discards their results.
  ~Inference();

  /// Total run time of the device's kernels for all collected batches, in seconds. 0 if the device was not watched.
  [[nodiscard]] double device_seconds() const { return device_seconds_; }

  [[nodiscard]] bool is_empty() const { return batches_.empty(); }
  /// Whether the maximum number of batches is in flight.
  [[nodiscard]] bool is_full() const { return batches_.size() >= reconstructor_.batches_in_flight(); }

  /// Submits a batch. Precondition: is_full() is false.
  void submit(std::vector<Job> jobs);

  /// Waits for the oldest batch and returns its jobs. If the batch fails, its halves are computed separately, down to
  /// single jobs, so that a bad sample does not fail the others. Precondition: is_empty() is false.
  [[nodiscard]] std::vector<Job> collect();

 private:
  // Jobs that are submitted together.
  struct Submission {
    std::vector<Job*> jobs = {};
    std::vector<Sample> samples = {};  // moved out of the jobs while they are computed
    Clock::time_point begin = {};
    Clock::time_point end = {};
    StopQuestion stop = {};  // ends the computation
    bool is_back = false;    // has its results or its failure
    std::vector<ReconstructionResult> results = {};
    std::vector<DeviceSpan> device_spans = {};
    std::exception_ptr failure = nullptr;
  };
  struct Batch {
    std::vector<Job> jobs;
    Submission submission = {};
  };

  [[nodiscard]] Submission begin(std::span<Job* const> jobs);
  void await(Submission& submission);
  void settle(Submission& submission);
  void finish(Submission& submission);
  void compute_halves(std::span<Job* const> jobs);

  Reconstructor& reconstructor_;
  Trace& trace_;
  std::deque<Batch> batches_;        // in flight, the oldest first
  Clock::time_point last_end_ = {};  // of the most recently collected submission
  double device_seconds_ = 0;
};

}  // namespace p2mpp
