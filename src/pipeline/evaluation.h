#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "pipeline/stages.h"

namespace p2mpp {

/// How long the threads of a stage were at work, rather than waiting for the stage before or after.
struct StageUse {
  /// "read", "compute", "write" (which scores and records, too); "device", whose kernels run while "compute" fills,
  /// waits and copies, where it was watched
  std::string_view name;
  int threads = 1;
  double busy_seconds = 0;  ///< of all its threads together
};

/// A list's results, in its order.
struct Evaluation {
  std::vector<SampleResult> results;
  double wall_seconds = 0;     ///< from the first sample's files to the last sample's score
  double compute_seconds = 0;  ///< of these, computing samples that gave a mesh
  std::size_t earlier = 0;     ///< of the results, those that an earlier run gave, which the wall seconds leave out
  std::vector<StageUse> stages;
  bool stopped = false;  ///< some entries were left, since that was asked for: they have no result
};

/// Threads of the stages beside the one that computes, which is the caller's.
struct StageThreads {
  int read = 1;   ///< open and decode
  int write = 1;  ///< write, score and record
};

/// As many as a machine of so many physical cores has to spare: where a GPU computes, a quarter of them read and a half
/// write; where they compute themselves, a sixteenth each. At least one of each.
[[nodiscard]] StageThreads spare_stage_threads(DeviceKind computing, int cores);

/// What an evaluation tells and asks on its way. Calls do not overlap.
struct EvaluationObserver {
  std::function<void(const SampleResult&)> on_result = [](const SampleResult&) {};
  /// A batch is done: its files are written and its samples scored. What it throws ends the evaluation.
  std::function<void(std::span<const SampleResult>)> on_batch = [](std::span<const SampleResult>) {};
  /// Whether to compute no further batch. Asked from several threads.
  std::function<bool()> stop_requested = [] { return false; };
};

/// Takes entries through the stages, a batch at a time: while one batch computes, others are read and written. How many
/// samples are in memory depends on the batch and the threads, not on the list; what results take is taken at the start
/// (about 0.8 kB each; the names of files and their hashes are left to on_batch). Samples that fail are results like
/// others.
[[nodiscard]] Evaluation evaluate(std::span<const ListEntry> entries, const EvaluationOptions& options,
                                  const StageThreads& threads, const Reconstructor& reconstructor, Trace& trace,
                                  const EvaluationObserver& observer);

}  // namespace p2mpp
