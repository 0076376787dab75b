#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "cli/support/command.h"
#include "cli/support/evaluation_run.h"
#include "cli/support/options.h"
#include "eval/merged_runs.h"
#include "io/test_list.h"
#include "p2mpp/device.h"
#include "pipeline/shard.h"
#include "report/evaluation_pictures.h"

namespace p2mpp::cli {
namespace {

struct MergeOptions {
  std::vector<std::filesystem::path> runs;
  std::filesystem::path list;  // empty: what the runs hold is all
  std::filesystem::path out;
};

// As a run of the whole list tells it, with the runs' folders at the beginning.
nlohmann::ordered_json document_of(const MergeOptions& options, const MergedRuns& merged,
                                   const EvaluationSummary& summary) {
  RunDescription description = merged.description;
  description["settings"]["out"] = options.out.string();
  if (!options.list.empty()) {
    description["settings"]["list"] = options.list.string();
    description["settings"]["shard"] = to_string(Shard{});
  }
  nlohmann::ordered_json document = {{"runs", nlohmann::ordered_json::array()}};
  for (const auto& run : options.runs) document["runs"].push_back(run.string());
  document.update(summary_document(summary, description));
  return document;
}

ExitCode run_merge(const MergeOptions& options, const Settings& settings) {
  MergedRuns merged = merge_runs(options.runs);
  if (!options.list.empty()) complete_with_list(read_test_list(options.list), merged.evaluation);
  prepare_output_folder(options.out);
  const EvaluationSummary summary = summarize(merged.evaluation);
  const auto options_of = [&](const SampleResult& result) -> const EvaluationOptions& {
    return merged.options_of(result);
  };
  const EvaluationPictures pictures = draw_evaluation(merged.evaluation, options_of, physical_core_count());
  if (!pictures.note.empty()) spdlog::warn("report.html: {}", pictures.note);
  const ExitCode code = write_outputs(merged.evaluation, summary, document_of(options, merged, summary), pictures,
                                      options.out, settings.json);
  if (summary.stopped) spdlog::warn("the list holds samples that no run has finished");
  return code;
}

}  // namespace

void add_merge_command(CLI::App& app, const Settings& settings, ExitCode& exit_code) {
  const auto options = std::make_shared<MergeOptions>();
  CLI::App* command = app.add_subcommand("merge", "Put the results of several runs of one list together");
  command->add_option("RUN", options->runs, "Folders that `eval --out` wrote, of parts of one list (--shard)")
      ->type_name("FOLDER")
      ->check(file_name())
      ->required();
  command->add_option("-o,--out", options->out, "Folder for results.csv, categories.csv, summary.json and report.html")
      ->type_name("FOLDER")
      ->check(file_name())
      ->required()
      ->group("Result");
  command
      ->add_option("--list", options->list,
                   "The whole list: its order and faulty lines are taken from it, and what no run has is missed")
      ->type_name("FILE")
      ->check(file_name())
      ->group("Runs");
  command->footer(
      R"(The runs must be of one model with the same options that results depend on. Meshes stay where they are;
report.html shows some of them, where they and their images can be read. A sample that failed in one run and is
done in another is done. Exit codes are those of `eval`: with --list, 5 says that samples are missing.

Examples:
  p2mpp eval --list list.txt --images-root IMAGES --truth-root TRUTH --shard 1/2 --out part1
  p2mpp eval --list list.txt --images-root IMAGES --truth-root TRUTH --shard 2/2 --out part2
  p2mpp merge part1 part2 --list list.txt --out whole)");
  command->callback([options, &settings, &exit_code] { exit_code = run_merge(*options, settings); });
}

}  // namespace p2mpp::cli
