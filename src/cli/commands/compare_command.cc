#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "cli/support/command.h"
#include "cli/support/console.h"
#include "cli/support/declared_options.h"
#include "eval/run_comparison.h"
#include "p2mpp/error.h"

namespace p2mpp::cli {
namespace {

constexpr std::size_t kShownSamples = 5;

struct CompareOptions {
  std::filesystem::path before, after;

  template <typename Visit>
  void visit_options(Visit&& visit) {
    visit(before, {"BEFORE", "Output folder of `eval`: what is compared with", "FOLDER", file_name()},
          {.required = true});
    visit(after, {"AFTER", "Output folder of `eval`: what may be better or worse", "FOLDER", file_name()},
          {.required = true});
  }
};

ExitCode run_compare(const CompareOptions& options, const Settings& settings) {
  const RecordedRun before = read_run(options.before), after = read_run(options.after);
  const RunComparison comparison = compare_runs(before.results, after.results);
  if (comparison.samples.empty()) {
    throw InputError(fmt::format("{} and {}: no sample is scored in both; expected runs of one list, with --truth-root",
                                 options.before.string(), options.after.string()));
  }
  const std::string differs = differences(before.identity, after.identity);
  if (settings.json) {
    Json document = {{"before", options.before.string()}, {"after", options.after.string()}, {"differences", differs}};
    document.update(to_json(comparison));
    print_json(document);
    return ExitCode::kDone;
  }
  print(fmt::format("{} samples are scored in both runs; {} only in the first, {} only in the second\n",
                    comparison.samples.size(), comparison.only_before, comparison.only_after));
  print(fmt::format("options: {}\n\n", differs.empty() ? "the same" : differs));
  print(format_table(change_table(comparison)));
  print("\nchange: second run minus first; interval and p-value by a paired bootstrap of 10,000 samples\n");
  const TableCells samples = sample_table(comparison, kShownSamples);
  if (samples.size() > 1) print("\n" + format_table(samples));
  return ExitCode::kDone;
}

}  // namespace

void add_compare_command(CLI::App& app, const Settings& settings, ExitCode& exit_code) {
  const auto options = std::make_shared<CompareOptions>();
  CLI::App* command = app.add_subcommand("compare", "Compare the scores of two runs of one list");
  add_options(*command, *options);
  command->footer(
      R"(Prints the means of both runs' samples by category, their changes with confidence intervals and p-values, and
the samples that changed most. The runs may differ in anything, such as model, precision, views or fit. The output
names the options that differ. Only samples that both runs scored are compared.

Examples:
  p2mpp compare results-3-views results-8-views)");
  command->callback([options, &settings, &exit_code] { exit_code = run_compare(*options, settings); });
}

}  // namespace p2mpp::cli
