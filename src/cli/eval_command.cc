#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/settings.h"
#include "cli/table.h"
#include "eval/engine_adapters.h"
#include "eval/environment.h"
#include "eval/evaluation_report.h"
#include "eval/evaluation_tables.h"
#include "eval/json_text.h"
#include "eval/model_facts.h"
#include "eval/output_paths.h"
#include "io/atomic_file.h"
#include "p2mpp/error.h"
#include "report/evaluation_page.h"

namespace p2mpp::cli {
namespace {

struct EvalOptions {
  std::filesystem::path list;
  std::filesystem::path images_root;
  std::filesystem::path truth_root;  // empty: no metrics
  std::filesystem::path out;
  Frame frame = Frame::kCamera0;
  std::size_t limit = 0;  // 0: all entries
};

constexpr long long kMaxLimit = 1'000'000'000;
constexpr std::size_t kMaxPrintedFailures = 20;

std::vector<ListEntry> read_entries(const EvalOptions& options) {
  std::vector<ListEntry> entries = read_test_list(options.list);
  if (options.limit > 0 && entries.size() > options.limit) entries.resize(options.limit);
  return entries;
}

void check_folder(const std::filesystem::path& folder, std::string_view what) {
  std::error_code ignored;
  if (std::filesystem::is_directory(folder, ignored)) return;
  throw InputError(fmt::format("{}: no such folder; expected the root of the {}", folder.string(), what));
}

void check_folders(const EvalOptions& options) {
  check_folder(options.images_root, "images");
  if (!options.truth_root.empty()) check_folder(options.truth_root, "ground truth");
  prepare_output_folder(options.out);
}

// Scores where it computes, if that is with kernels of ours.
NeighbourFinder finder_of(const Engine& engine) {
  return engine.backend() == "fused" ? neighbour_finder(engine.device().device) : NeighbourFinder{};
}

EvaluationSettings describe_run(const EvalOptions& options, const Settings& settings, const Engine& engine) {
  return {.list = options.list,
          .limit = options.limit,
          .options = {.images_root = options.images_root,
                      .truth_root = options.truth_root,
                      .out = options.out,
                      .view_indices = view_indices(settings, engine.model()),
                      .batch = static_cast<std::size_t>(settings.engine.batch),
                      .frame = options.frame,
                      .comment = mesh_comment(engine.model(), options.frame),
                      .scoring_threads = engine.threads(),
                      .find_neighbours = finder_of(engine)},
          .device = to_string(engine.device().device),
          .backend = std::string(engine.backend()),
          .precision = std::string(to_string(engine.precision())),
          .threads = engine.threads(),
          .model = engine.model()};
}

Evaluation evaluate_with_progress(const std::vector<ListEntry>& entries, const EvaluationOptions& options,
                                  const Settings& settings, Engine& engine, Trace& trace) {
  Progress progress("samples", entries.size(), progress_style(settings));
  std::size_t done = 0;
  std::size_t failed = 0;
  return evaluate(entries, options, reconstructor_of(engine), trace, [&](const SampleResult& result) {
    ++done;
    if (result.status != SampleStatus::kDone) {
      ++failed;
      spdlog::error("line {}: {}: {}", result.line, result.id, result.reason);
    }
    progress.update(done, failed);
  });
}

void print_failures(const EvaluationSummary& summary) {
  if (summary.failures.empty()) return;
  print("\n");
  for (std::size_t i = 0; i < std::min(summary.failures.size(), kMaxPrintedFailures); ++i) {
    const SampleResult& result = summary.failures[i];
    const std::string_view what = result.failed() ? "failed" : "not scored";
    print(fmt::format("{}: line {}: {}: {}\n", what, result.line, result.id, result.reason));
  }
  if (summary.failures.size() > kMaxPrintedFailures) {
    print(fmt::format("and {} more, see results.csv\n", summary.failures.size() - kMaxPrintedFailures));
  }
}

void print_summary(const EvaluationSummary& summary) {
  print(fmt::format("{} of {} samples reconstructed, {} failed, {} not scored\n\n", summary.reconstructed,
                    summary.listed, summary.failed, summary.not_scored));
  print(format_table(time_table(summary)));
  print(fmt::format("\nthroughput: {} samples/s computing, {} samples/s end to end\n",
                    fixed_cell(summary.compute_throughput(), 3), fixed_cell(summary.end_to_end_throughput(), 3)));
  if (summary.scores.all().count > 0) {
    print("\n" + format_table(score_table(summary.scores)));
    print(score_legend());
  }
  print_failures(summary);
}

ExitCode run_eval(const EvalOptions& options, const Settings& settings) {
  const std::vector<ListEntry> entries = read_entries(options);
  check_folders(options);
  Trace trace(settings.trace);
  Engine engine = open_engine(resolve_engine_options(settings));
  const EvaluationSettings run = describe_run(options, settings, engine);
  const Evaluation evaluation = evaluate_with_progress(entries, run.options, settings, engine, trace);
  const EvaluationSummary summary = summarize(evaluation);
  const auto environment = describe_environment();
  const auto document = summary_document(summary, run, environment);
  write_file_atomically(options.out / "results.csv", results_csv(evaluation));
  write_file_atomically(options.out / "summary.json", json_text(document));
  if (!options.truth_root.empty()) {
    write_file_atomically(options.out / "categories.csv", categories_csv(summary.scores));
  }
  write_file_atomically(options.out / "report.html", evaluation_page(evaluation, summary, run, environment,
                                                                     draw_evaluation(evaluation, run.options)));
  trace.write();
  if (settings.json) {
    print_json(document);
  } else {
    print_summary(summary);
  }
  spdlog::info("wrote results.csv, summary.json and report.html in {}", options.out.string());
  return summary.failures.empty() ? ExitCode::kDone : ExitCode::kSomeSamplesFailed;
}

void add_input_options(CLI::App& command, EvalOptions& options) {
  constexpr const char* kGroup = "Samples";
  command.add_option("--list", options.list, "Test list: an id a line, CATEGORY_MODEL_00.dat")
      ->type_name("FILE")
      ->check(file_name())
      ->required()
      ->group(kGroup);
  command
      .add_option("--images-root", options.images_root,
                  "Where the images are: FOLDER/CATEGORY/MODEL/, or its rendering/")
      ->type_name("FOLDER")
      ->check(file_name())
      ->required()
      ->group(kGroup);
  command
      .add_option("--truth-root", options.truth_root,
                  "Where the ground truth is, in the frame of camera 0: FOLDER/{id}.dat, {id}_ground.xyz, {id}.xyz, "
                  "{id}.ply or {id}.obj. Given, metrics are computed")
      ->type_name("FOLDER")
      ->check(file_name())
      ->group(kGroup);
  command.add_option("--limit", options.limit, "Take the list's first N entries only")
      ->type_name("N")
      ->check(whole_number(1, kMaxLimit))
      ->group(kGroup);
}

void add_result_options(CLI::App& command, EvalOptions& options) {
  constexpr const char* kGroup = "Result";
  command.add_option("-o,--out", options.out, "Folder for meshes, results.csv, summary.json and report.html")
      ->type_name("FOLDER")
      ->check(file_name())
      ->required()
      ->group(kGroup);
  command
      .add_option_function<std::string>(
          "--frame",
          [&options](const std::string& name) { options.frame = name == "world" ? Frame::kWorld : Frame::kCamera0; },
          "The written vertices' frame: of the sample's first camera, or of the camera rows (y up). Metrics are always "
          "computed in the first camera's")
      ->type_name("camera0|world")
      ->check(one_of({"camera0", "world"}))
      ->default_str("camera0")
      ->group(kGroup);
}

}  // namespace

void add_eval_command(CLI::App& app, const Settings& settings, ExitCode& exit_code) {
  const auto options = std::make_shared<EvalOptions>();
  CLI::App* command =
      app.add_subcommand("eval", "Reconstruct a test list; statistics, and metrics against ground truth");
  add_input_options(*command, *options);
  add_result_options(*command, *options);
  command->footer(
      R"(Prints statistics of the milliseconds a sample in total and by part, throughput, and with --truth-root the
mean Chamfer distance (CD) and F1 on vertices, as published, and on points sampled on the surface. The same
and more is written to OUT/results.csv (a line a sample) and OUT/summary.json; OUT/report.html shows it with
charts and pictures. A sample that fails, or whose ground truth is missing, is named with its reason, the
others go on, and the exit code is 4. With --truth-root, OUT/categories.csv holds the means by category.

Examples:
  p2mpp eval --list data/test_list.txt --images-root data --truth-root data --out results
  p2mpp eval --list test_list.txt --images-root ShapeNetRendering --out results --batch 16 --json)");
  command->callback([options, &settings, &exit_code] { exit_code = run_eval(*options, settings); });
}

}  // namespace p2mpp::cli
