#pragma once

#include <functional>
#include <span>
#include <vector>

#include "pipeline/pipeline.h"

namespace p2mpp {

/// A list's results, in its order.
struct Evaluation {
  std::vector<SampleResult> results;
  double wall_seconds = 0;     ///< from the first sample's files to the last sample's score
  double compute_seconds = 0;  ///< of these, computing samples that gave a mesh
  std::size_t earlier = 0;     ///< of the results, those that an earlier run gave, which the wall seconds leave out
  std::vector<StepUse> steps;
  bool stopped = false;  ///< some entries were left, since that was asked for: they have no result
};

/// What an evaluation tells and asks on its way. Calls do not overlap.
struct EvaluationObserver {
  std::function<void(const SampleResult&)> on_result = [](const SampleResult&) {};
  /// A batch is done: its files are written and its samples scored. What it throws ends the evaluation.
  std::function<void(std::span<const SampleResult>)> on_batch = [](std::span<const SampleResult>) {};
  /// Whether to compute no further batch. Asked from several threads.
  std::function<bool()> stop_requested = [] { return false; };
};

/// Takes entries through the pipeline, a batch at a time. How many samples are in memory depends on the batch and the
/// threads, not on the list; the memory of the results is allocated at the start (about 0.8 kB each; the names of files
/// and their hashes are left to on_batch). Samples that fail are results like others.
[[nodiscard]] Evaluation evaluate(std::span<const ListEntry> entries, const EvaluationOptions& options,
                                  const StepThreads& threads, const Reconstructor& reconstructor, Trace& trace,
                                  const EvaluationObserver& observer);

}  // namespace p2mpp
