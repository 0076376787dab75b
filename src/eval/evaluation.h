#pragma once

#include <functional>
#include <span>
#include <vector>

#include "eval/stages.h"

namespace p2mpp {

/// A list's results, in its order.
struct Evaluation {
  std::vector<SampleResult> results;
  double wall_seconds = 0;     ///< from the first sample's files to the last sample's score
  double compute_seconds = 0;  ///< of these, computing samples that gave a mesh
};

/// Takes entries through the stages, a batch at a time: only one batch of samples is in memory. Samples that fail are
/// results like others. `on_result` is called after each sample.
[[nodiscard]] Evaluation evaluate(std::span<const ListEntry> entries, const EvaluationOptions& options,
                                  const Reconstructor& reconstructor, Trace& trace,
                                  const std::function<void(const SampleResult&)>& on_result);

}  // namespace p2mpp
