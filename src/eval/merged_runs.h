#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "pipeline/evaluation.h"
#include "pipeline/run_manifest.h"

namespace p2mpp {

/// Runs of parts of one list, as one.
struct MergedRuns {
  RunDescription description;                 ///< see merged_description()
  Evaluation evaluation;                      ///< in the list's order; wall_seconds is not known: NaN
  std::vector<EvaluationOptions> options;     ///< a run's each: roots, views and frame; `out` is where its meshes are
  std::map<std::string, std::size_t> run_of;  ///< the run that has an id's mesh

  /// Those of the run that made a sample's mesh.
  [[nodiscard]] const EvaluationOptions& options_of(const SampleResult& result) const {
    return options.at(run_of.at(result.id));
  }
};

/// The roots of images and truth may differ (machines mount them elsewhere). Throws InputError for runs of identities
/// that differ otherwise, and for an id that two of them have done with different results.
[[nodiscard]] MergedRuns merge_runs(std::span<const std::filesystem::path> folders);

/// What the runs agree in; where they do not (several machines), an array of what they say. Shards that are the whole
/// together are shard 1/1.
[[nodiscard]] RunDescription merged_description(std::span<const RunDescription> descriptions);

/// Holds the results against the list that the runs were parts of: every entry that can be used gets its result, every
/// other one its problem. An entry that no run has is left out, and the evaluation counts as stopped; results of ids
/// that the list lacks go.
void complete_with_list(std::span<const ListEntry> entries, Evaluation& evaluation);

}  // namespace p2mpp
