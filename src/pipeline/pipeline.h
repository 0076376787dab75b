#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "pipeline/steps.h"

namespace p2mpp {

/// Threads of the steps beside the one that computes, which has the caller's thread.
struct StepThreads {
  int read = 1;   ///< open and decode
  int write = 1;  ///< write, score and record
};

/// As many as a machine with this number of physical cores has to spare: where a GPU computes, a quarter of them read
/// and a half write; where they compute themselves, a sixteenth each. At least one of each.
[[nodiscard]] StepThreads spare_step_threads(DeviceKind computing, int cores);

/// How long the threads of a step were at work, rather than waiting for the step before or after.
struct StepUse {
  /// "read", "compute", "write" (which scores and records, too); "device", whose kernels run while "compute" fills,
  /// waits and copies, where it was watched
  std::string_view name;
  int threads = 1;
  double busy_seconds = 0;  ///< of all its threads together
};

/// The first and the last step of a pipeline; the one between them is Inference.
struct PipelineSteps {
  /// Gives the next batch, in which jobs may have failed; empty where there is no further one. Called by the threads
  /// that read, at the same time.
  std::function<std::vector<Job>()> read;
  /// Takes a batch that was computed. Called by the threads that write, at the same time; by a single one in the order
  /// in which a single one reads.
  std::function<void(std::vector<Job>)> write;
  /// Whether to compute no further batch. Asked from several threads.
  std::function<bool()> stop_requested = [] { return false; };
  /// Called when a step threw; to make `read` return if it waits.
  std::function<void()> on_failure = [] {};
  /// Batches between two steps, beside those that threads work on.
  std::size_t waiting_batches = 2;
};

/// Runs batches through read -> compute -> write until there is no further one: while one batch computes, others are
/// read and written. An exception of a step ends all of them and is thrown again. Gives the use of each step.
std::vector<StepUse> run_pipeline(const PipelineSteps& steps, const StepThreads& threads,
                                  const Reconstructor& reconstructor, Trace& trace);

}  // namespace p2mpp
