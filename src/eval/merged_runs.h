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

/// Throws InputError for runs of different identities, and for an id that two of them have done with different results.
[[nodiscard]] MergedRuns merge_runs(std::span<const std::filesystem::path> folders);

}  // namespace p2mpp
