#pragma once

#include <filesystem>
#include <span>

#include "eval/evaluation.h"
#include "eval/run_manifest.h"

namespace p2mpp {

/// Runs of parts of one list, as one.
struct MergedRuns {
  RunIdentity identity;
  Evaluation evaluation;  ///< in the list's order; wall_seconds is not known: NaN
};

/// The roots of images and truth may differ (machines mount them elsewhere). Throws InputError for runs of identities
/// that differ otherwise, and for an id that two of them have done with different results.
[[nodiscard]] MergedRuns merge_runs(std::span<const std::filesystem::path> folders);

/// Holds the results against the list that the runs were parts of: every entry that can be used gets its result, every
/// other one its problem. An entry that no run has is left out, and the evaluation counts as stopped; results of ids
/// that the list lacks go.
void complete_with_list(std::span<const ListEntry> entries, Evaluation& evaluation);

}  // namespace p2mpp
