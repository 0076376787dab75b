#pragma once

#include <functional>
#include <span>
#include <vector>

#include "pipeline/pipeline.h"

namespace p2mpp {

/// The results of a list, in its order.
struct Evaluation {
  std::vector<SampleResult> results;
  double wall_seconds = 0;     ///< from the first sample's files to the last sample's score
  double compute_seconds = 0;  ///< part of wall_seconds, spent on computing samples that gave a mesh
  std::size_t earlier = 0;     ///< number of results from an earlier run; wall_seconds does not include them
  std::vector<StepUse> steps;
  bool stopped = false;  ///< a stop was requested; the remaining entries have no result
};

/// The results of an evaluation that have a mesh, in its order. The references are valid as long as the evaluation is.
[[nodiscard]] std::vector<const SampleResult*> results_with_mesh(const Evaluation& evaluation);

/// Callbacks of an evaluation. on_result and on_batch are never called concurrently.
struct EvaluationObserver {
  std::function<void(const SampleResult&)> on_result = [](const SampleResult&) {};
  /// Called when a batch's files are written and its samples are scored. An exception ends the evaluation, and
  /// neither function is called again.
  std::function<void(std::span<const SampleResult>)> on_batch = [](std::span<const SampleResult>) {};
  /// Returns true to stop after the batches in flight. Called by several threads.
  std::function<bool()> stop_requested = [] { return false; };
};

/// Runs entries through the pipeline in batches. The number of samples in memory depends on the batch and the number of
/// threads, not on the length of the list. The memory of the results is allocated at the start (about 0.8 kB each). The
/// callbacks get the names and hashes of written files, which are not kept. A sample that fails gives a result with a
/// reason. Throws DiskError if the output's disk is full, and what on_batch throws.
[[nodiscard]] Evaluation evaluate(std::span<const ListEntry> entries, const PipelineOptions& options,
                                  const StepThreads& threads, Reconstructor& reconstructor, Trace& trace,
                                  const EvaluationObserver& observer);

}  // namespace p2mpp
