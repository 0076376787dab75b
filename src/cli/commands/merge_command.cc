#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "base/input_file.h"
#include "base/json_text.h"
#include "base/text.h"
#include "cli/commands/evaluation_run.h"
#include "cli/support/command.h"
#include "cli/support/declared_options.h"
#include "eval/merged_runs.h"
#include "io/test_list.h"
#include "p2mpp/device.h"
#include "p2mpp/error.h"
#include "report/evaluation_page.h"

namespace p2mpp::cli {
namespace {

struct MergeOptions {
  std::vector<std::filesystem::path> runs;
  std::filesystem::path list;  // empty: all samples of the runs
  std::filesystem::path out;

  template <typename Visit>
  void visit_options(Visit&& visit) {
    visit(runs, {"RUN", "Output folders of `eval` runs of parts of one list (--shard)", "FOLDER", file_name()},
          {.required = true, .separate = true});
    visit(out,
          {"-o,--out", "Folder for results.csv, categories.csv, summary.json and report.html", "FOLDER", file_name(),
           "Result"},
          {.required = true});
    visit(list,
          {"--list",
           "The whole list: determines the order and the faulty lines; samples that no run has are reported as missing",
           "FILE", file_name(), "Runs"});
  }
};

// The description of a run of the whole list, preceded by the runs' folders.
Json merge_document(const MergeOptions& options, const MergedRuns& merged, const EvaluationSummary& summary) {
  RunDescription description = merged.description;
  description["settings"]["out"] = options.out.string();
  if (!options.list.empty()) {
    description["settings"]["list"] = options.list.string();
    description["settings"]["shard"] = to_string(Shard{});
  }
  Json document = {{"runs", Json::array()}};
  for (const auto& run : options.runs) document["runs"].push_back(run.string());
  document.update(summary_document(summary, description));
  return document;
}

// The results would contradict the manifest beside them.
void check_output(const MergeOptions& options) {
  const auto is_output = [&](const std::filesystem::path& run) {
    std::error_code ignored;
    return std::filesystem::equivalent(run, options.out, ignored);
  };
  if (!may_exist(options.out / "manifest.jsonl") || std::ranges::all_of(options.runs, is_output)) return;
  throw UsageError(
      fmt::format("{}: holds a run; expected another --out, or this folder as the only run", display(options.out)));
}

ExitCode run_merge(const MergeOptions& options, const Settings& settings) {
  check_output(options);
  MergedRuns merged = merge_runs(options.runs);
  if (options.list.empty()) {
    check_lines(merged.evaluation);
  } else {
    complete_with_list(read_test_list(options.list), merged.evaluation);
  }
  prepare_output_folder(options.out);
  const EvaluationSummary summary = summarize(merged.evaluation);
  const auto find_options = [&](const SampleResult& result) -> const PipelineOptions& {
    return merged.find_options(result);
  };
  const auto draw = [&] { return draw_evaluation(merged.evaluation, find_options, physical_core_count()); };
  const ExitCode code = write_outputs(merged.evaluation, summary, merge_document(options, merged, summary), draw,
                                      options.out, settings.json);
  if (summary.stopped) spdlog::warn("the list contains samples that no run has finished");
  return code;
}

}  // namespace

void add_merge_command(CLI::App& app, const Settings& settings, ExitCode& exit_code) {
  const auto options = std::make_shared<MergeOptions>();
  CLI::App* command = app.add_subcommand("merge", "Merge the results of several runs of one list");
  add_options(*command, *options);
  command->footer(
      R"(The runs must have the same model and the same values of all options that change the results. OUT must not
hold another run. Meshes are not copied. report.html shows some of them if they and their images can be read. A sample
that failed in one run and succeeded in another counts as done. The exit codes are those of `eval`. With --list, 5
means that samples are missing.

Examples:
  p2mpp eval --list list.txt --images-root IMAGES --truth-root TRUTH --shard 1/2 --out part1
  p2mpp eval --list list.txt --images-root IMAGES --truth-root TRUTH --shard 2/2 --out part2
  p2mpp merge part1 part2 --list list.txt --out whole)");
  command->callback([options, &settings, &exit_code] { exit_code = run_merge(*options, settings); });
}

}  // namespace p2mpp::cli
