#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "pipeline/steps.h"

namespace p2mpp {

/// Numbers of threads of the reading and writing steps. The computing step runs in the caller's thread.
struct StepThreads {
  int read = 1;   ///< open and decode
  int write = 1;  ///< write, score and record
};

/// The default for a machine with this number of physical cores. If a GPU computes: a quarter of the cores read and
/// half of them write. If the CPU computes: a sixteenth each. At least one thread each.
[[nodiscard]] StepThreads spare_step_threads(DeviceKind computing, int cores);

/// The time that a step's threads spent working, excluding the time that they waited for the neighbouring steps.
struct StepUse {
  /// "read", "compute", "write" (includes scoring and recording), and, if the device was watched, "device": the run
  /// time of its kernels. "compute" is the time of the thread that submits, waits and copies.
  std::string_view name;
  int threads = 1;
  double busy_seconds = 0;  ///< sum over its threads
};

/// The first and last step of a pipeline. The step between them is Inference.
struct PipelineSteps {
  /// Returns the next batch, which may contain failed jobs; empty at the end. Called concurrently by the reading
  /// threads.
  std::function<std::vector<Job>()> read;
  /// Receives a computed batch. Called concurrently by the writing threads. If there is one reading and one writing
  /// thread, batches arrive in the order in which they were read.
  std::function<void(std::vector<Job>)> write;
  /// Returns true to stop after the batches in flight. Called by several threads.
  std::function<bool()> stop_requested = [] { return false; };
  /// Called when a step has thrown an exception. It must wake up `read` if that waits.
  std::function<void()> on_failure = [] {};
  /// Maximum number of batches queued between two steps, not counting those that a thread works on.
  std::size_t waiting_batches = 2;
};

/// Runs batches through read -> compute -> write until `read` returns an empty batch; the three steps overlap. If a
/// step throws, the pipeline ends and the first exception is rethrown. Returns the use of each step.
std::vector<StepUse> run_pipeline(const PipelineSteps& steps, const StepThreads& threads, Reconstructor& reconstructor,
                                  Trace& trace);

}  // namespace p2mpp
