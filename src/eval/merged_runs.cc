#include "eval/merged_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "p2mpp/error.h"

namespace p2mpp {
namespace {

// Keeps what is done; of what failed everywhere, the last run's reason.
void merge_into(ResultsByIdAndLine& all, SampleResult result, const std::filesystem::path& folder) {
  const auto [found, is_new] = all.emplace(std::pair(result.id, result.line), result);
  if (is_new) return;
  if (found->second.status != SampleStatus::kDone) {
    found->second = std::move(result);
  } else if (result.status == SampleStatus::kDone && result.files != found->second.files) {
    throw InputError(fmt::format("{}: has another result for {} than a run named before; expected the same bytes",
                                 folder.string(), result.id));
  }
}

RunIdentity without_roots(RunIdentity identity) {
  identity.erase("images_root");
  identity.erase("truth_root");
  return identity;
}

}  // namespace

MergedRuns merge_runs(std::span<const std::filesystem::path> folders) {
  MergedRuns merged;
  ResultsByIdAndLine all;
  for (const std::filesystem::path& folder : folders) {
    RecordedRun run = read_run(folder);
    const RunIdentity identity = without_roots(run.identity);
    if (&folder == &folders.front()) merged.identity = identity;
    if (const std::string text = differences(merged.identity, identity); !text.empty()) {
      throw InputError(
          fmt::format("{} and {}: are not parts of one run: {}", folders.front().string(), folder.string(), text));
    }
    for (auto& [key, result] : run.results) merge_into(all, std::move(result), folder);
  }
  for (auto& [key, result] : all) {
    if (!result.failed()) merged.evaluation.compute_seconds += result.compute_ms / 1000;
    merged.evaluation.results.push_back(std::move(result));
  }
  std::ranges::stable_sort(merged.evaluation.results, {}, &SampleResult::line);
  merged.evaluation.wall_seconds = std::numeric_limits<double>::quiet_NaN();
  return merged;
}

void complete_with_list(std::span<const ListEntry> entries, Evaluation& evaluation) {
  std::map<std::string, SampleResult> recorded;
  for (SampleResult& result : evaluation.results) {
    SampleResult& known = recorded.emplace(result.id, result).first->second;
    if (known.status != SampleStatus::kDone) known = std::move(result);
  }
  evaluation.results.clear();
  evaluation.compute_seconds = 0;
  for (const ListEntry& entry : entries) {
    SampleResult result;
    if (!entry.problem.empty()) {
      result.id = entry.id;
      result.category = entry.category;
      result.status = SampleStatus::kFailed;
      result.reason = entry.problem;
    } else if (const auto found = recorded.find(entry.id); found != recorded.end()) {
      result = std::move(found->second);
    } else {
      evaluation.stopped = true;
      continue;
    }
    result.line = entry.line;
    if (!result.failed()) evaluation.compute_seconds += result.compute_ms / 1000;
    evaluation.results.push_back(std::move(result));
  }
}

}  // namespace p2mpp
