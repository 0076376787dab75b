#include "eval/merged_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "p2mpp/error.h"

namespace p2mpp {
namespace {

// Keeps what is done; of what failed everywhere, the last run's reason.
void merge_into(std::map<std::string, SampleResult>& all, SampleResult result, const std::filesystem::path& folder) {
  const auto [found, is_new] = all.emplace(result.id, result);
  if (is_new) return;
  if (found->second.status != SampleStatus::kDone) {
    found->second = std::move(result);
  } else if (result.status == SampleStatus::kDone && result.files != found->second.files) {
    throw InputError(fmt::format("{}: has another result for {} than a run named before; expected the same bytes",
                                 folder.string(), result.id));
  }
}

}  // namespace

MergedRuns merge_runs(std::span<const std::filesystem::path> folders) {
  MergedRuns merged;
  std::map<std::string, SampleResult> all;
  for (const std::filesystem::path& folder : folders) {
    RecordedRun run = read_run(folder);
    if (&folder == &folders.front()) merged.identity = run.identity;
    if (const std::string text = differences(merged.identity, run.identity); !text.empty()) {
      throw InputError(fmt::format("{} and {}: are not parts of one run: {}", folders.front().string(), folder.string(), text));
    }
    for (auto& [id, result] : run.results) merge_into(all, std::move(result), folder);
  }
  for (auto& [id, result] : all) {
    if (!result.failed()) merged.evaluation.compute_seconds += result.compute_ms / 1000;
    merged.evaluation.results.push_back(std::move(result));
  }
  std::ranges::stable_sort(merged.evaluation.results, {}, &SampleResult::line);
  merged.evaluation.wall_seconds = std::numeric_limits<double>::quiet_NaN();
  return merged;
}

}  // namespace p2mpp
