#include "eval/merged_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/json_text.h"
#include "base/text.h"
#include "eval/engine_facts.h"
#include "io/test_list.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {
// Adds a result. A finished one is kept; among results that are not done, the last run's counts.
void merge_into(ResultsByIdAndLine& all, SampleResult result, std::size_t run, const std::filesystem::path& folder,
                std::map<std::string, std::size_t>& run_of) {
  const auto [found, is_new] = all.emplace(std::pair(result.id, result.line), result);
  if (is_new || found->second.status != SampleStatus::kDone) {
    if (!result.failed()) run_of[result.id] = run;
    found->second = std::move(result);
  } else if (result.status == SampleStatus::kDone && result.files != found->second.files) {
    throw InputError(fmt::format("{}: its result for {} differs from that of an earlier run; expected the same bytes",
                                 folder.string(), result.id));
  }
}

RunIdentity without_roots(RunIdentity identity) {
  identity.erase("images_root");
  identity.erase("truth_root");
  return identity;
}

// The options of a recorded run; `out` is its present folder, which may have been moved.
PipelineOptions options_of_run(const RunIdentity& identity, const std::filesystem::path& folder) {
  try {
    MeshOutput meshes{.formats = {}, .encoding = {}, .frame = frame_named(identity.value("frame", std::string()))};
    for (const std::string& name : identity.value("formats", std::vector<std::string>())) {
      meshes.formats.push_back(mesh_format(name));
    }
    const auto stages = identity.value("stage_views", std::array<std::size_t, 2>{});
    return {.images_root = identity.value("images_root", std::string()),
            .truth_root = identity.value("truth_root", std::string()),
            .out = folder,
            .reading = {.trained_views = identity.value("views", std::vector<std::size_t>())},
            .stage_views = {.stage1 = stages[0], .stage2 = stages[1]},
            .run = {.meshes = std::move(meshes)}};
  } catch (const Json::exception&) {
    throw InputError(fmt::format("{}: its identity is damaged; expected a file written by `p2mpp eval`",
                                 (folder / "manifest.jsonl").string()));
  }
}

// The common value, or an array of the distinct values.
Json common(const std::vector<Json>& values) {
  Json distinct = Json::array();
  for (const Json& value : values) {
    if (std::ranges::find(distinct, value) == distinct.end()) distinct.push_back(value);
  }
  return distinct.size() == 1 ? distinct.front() : distinct;
}

// "1/1" for a complete set of shards such as "1/2" and "2/2"; an incomplete set is returned unchanged.
Json merged_shards(Json shards) {
  const Json all = shards.is_array() ? shards : Json::array({shards});
  for (std::size_t number = 1; number <= all.size(); ++number) {
    if (std::ranges::find(all, Json(fmt::format("{}/{}", number, all.size()))) == all.end()) return shards;
  }
  return to_string(Shard{});
}

}  // namespace

RunDescription merged_description(std::span<const RunDescription> descriptions) {
  Json merged = Json::object();
  for (const char* section : {"settings", "batch", "model", "environment"}) {
    Json names = Json::object();
    std::vector<Json> parts;
    for (const RunDescription& description : descriptions) {
      const auto found = description.find(section);
      parts.push_back(found != description.end() && found->is_object() ? *found : Json::object());
      names.update(parts.back());
    }
    for (const auto& [name, unused] : names.items()) {
      std::vector<Json> values;
      values.reserve(parts.size());
      for (const Json& part : parts) values.push_back(part.value(name, Json(nullptr)));
      names[name] = common(values);
    }
    merged[section] = std::move(names);
  }
  if (Json& settings = merged["settings"]; settings.contains("shard")) {
    settings["shard"] = merged_shards(settings["shard"]);
  }
  return merged;
}

MergedRuns merge_runs(std::span<const std::filesystem::path> folders) {
  MergedRuns merged;
  ResultsByIdAndLine all;
  RunIdentity first;
  std::vector<RunDescription> descriptions;
  for (const std::filesystem::path& folder : folders) {
    RecordedRun run = read_run(folder);
    const RunIdentity identity = without_roots(run.identity);
    if (&folder == &folders.front()) first = identity;
    if (const std::string text = differences(first, identity); !text.empty()) {
      throw InputError(
          fmt::format("{} and {}: are not parts of one run: {}", folders.front().string(), folder.string(), text));
    }
    descriptions.push_back(std::move(run.description));
    merged.options.push_back(options_of_run(run.identity, folder));
    for (auto& [key, result] : run.results) {
      merge_into(all, std::move(result), merged.options.size() - 1, folder, merged.run_of);
    }
  }
  merged.description = merged_description(descriptions);
  for (auto& [key, result] : all) {
    if (!result.failed()) merged.evaluation.compute_seconds += result.compute_ms / 1000;
    merged.evaluation.results.push_back(std::move(result));
  }
  std::ranges::stable_sort(merged.evaluation.results, {}, &SampleResult::line);
  merged.evaluation.wall_seconds = std::numeric_limits<double>::quiet_NaN();
  return merged;
}

void check_lines(const Evaluation& evaluation) {
  std::map<std::size_t, std::string> id_of_line;
  for (const SampleResult& result : evaluation.results) {
    if (result.failed()) continue;
    const auto [found, is_new] = id_of_line.emplace(result.line, result.id);
    if (is_new || found->second == result.id) continue;
    throw InputError(fmt::format("line {} of the list is {} in one record and {} in another; expected --list",
                                 result.line, printable(found->second, 80), printable(result.id, 80)));
  }
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
