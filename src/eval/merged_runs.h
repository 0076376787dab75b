#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "eval/evaluation.h"
#include "eval/run_manifest.h"

namespace p2mpp {

/// The runs of several parts of a list, merged into one.
struct MergedRuns {
  RunDescription description;                 ///< see merged_description()
  Evaluation evaluation;                      ///< in the list's order; wall_seconds is NaN, as it is not known
  std::vector<PipelineOptions> options;       ///< of each run: roots, views, frame; `out` is the folder of its meshes
  std::map<std::string, std::size_t> run_of;  ///< id to index of the run that has its mesh

  /// The options of the run that made a sample's mesh.
  [[nodiscard]] const PipelineOptions& find_options(const SampleResult& result) const {
    return options.at(run_of.at(result.id));
  }
};

/// Merges the runs in these folders. The roots of images and truth may differ, as machines may mount them elsewhere.
/// Throws InputError if the identities differ otherwise, or if two runs have different results for the same id.
[[nodiscard]] MergedRuns merge_runs(std::span<const std::filesystem::path> folders);

/// Merges descriptions field by field: the common value, or an array of the distinct values if they differ (several
/// machines). A complete set of shards becomes shard 1/1.
[[nodiscard]] RunDescription merged_description(std::span<const RunDescription> descriptions);

/// Throws InputError if two samples with a mesh are on one line of the list.
void check_lines(const Evaluation& evaluation);

/// Rearranges the results in the order of the list that the runs were parts of. A faulty entry gets its problem as a
/// failed result. If an entry has no result, it is left out and the evaluation counts as stopped. Results of ids that
/// the list does not contain are removed.
void complete_with_list(std::span<const ListEntry> entries, Evaluation& evaluation);

}  // namespace p2mpp
