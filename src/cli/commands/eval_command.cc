#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/atomic_file.h"
#include "base/environment.h"
#include "base/input_file.h"
#include "cli/commands/evaluation_run.h"
#include "cli/support/command.h"
#include "cli/support/console.h"
#include "cli/support/declared_options.h"
#include "cli/support/interrupt.h"
#include "cli/support/progress.h"
#include "cli/support/settings.h"
#include "eval/evaluation_report.h"
#include "p2mpp/engine.h"
#include "p2mpp/error.h"
#include "pipeline/steps.h"
#include "report/viewer_page.h"

namespace p2mpp::cli {
namespace {

struct EvalOptions {
  std::filesystem::path list;
  EvaluationPaths paths;
  std::size_t limit = 0;  // 0: all entries
  std::string shard = "1/1";
  bool resume = false;
  bool overwrite = false;
  bool profile = false;
  bool view = false;
  StepThreads step_threads = {.read = 0, .write = 0};  // 0: spare_step_threads()

  template <typename Visit>
  void visit_options(Visit&& visit);
};

template <typename Visit>
void EvalOptions::visit_options(Visit&& visit) {
  constexpr long long kMaxLimit = 1'000'000'000, kMaxStepThreads = 256;
  const auto add_input = in_group("Samples", visit);
  add_input(list, {"--list", "Test list: one id per line, CATEGORY_MODEL_00.dat", "FILE", file_name()},
            {.required = true});
  add_input(paths.images_root,
            {"--images-root", "Root of the images: FOLDER/CATEGORY/MODEL/, or its rendering/", "FOLDER", file_name()},
            {.required = true});
  add_input(paths.truth_root, {"--truth-root",
                               "Root of the ground truth, in the frame of camera 0: FOLDER/{id}.dat, {id}_ground.xyz, "
                               "{id}.xyz, {id}.ply or {id}.obj. If given, metrics are computed",
                               "FOLDER", file_name()});
  add_input(limit, {"--limit", "Use only the first N entries of the list", "N", whole_number(1, kMaxLimit)},
            {.standard = ""});
  const auto add_result = in_group("Result", visit);
  add_result(paths.out,
             {"-o,--out", "Folder for meshes, results.csv, summary.json and report.html", "FOLDER", file_name()},
             {.required = true});
  add_result(view,
             {"--view", "Write {id}_view.html, the mesh in 3D, for the samples that report.html shows, and link them"});
  paths.run.visit_options(visit);
  const auto add = in_group("Run", visit);
  add(resume,
      {"--resume", "Continue the run in OUT and skip its finished samples. The options must be the same as before"});
  add(overwrite,
      {"--overwrite", "Replace the run in OUT. Without this or --resume, a folder that holds a run is refused"},
      {.excludes = "--resume"});
  add(profile, {"--profile", "Print times by part and by step, the memory used, and the bottleneck"});
  add(shard, {"--shard", "Reconstruct only part I of N of the list; see `p2mpp merge`", "I/N"});
  add(step_threads.read, {"--read-threads", "Threads that open and decode files; 0: chosen by the number of cores", "N",
                          whole_number(0, kMaxStepThreads)});
  add(step_threads.write, {"--write-threads", "Threads that write and score meshes; 0: chosen by the number of cores",
                           "N", whole_number(0, kMaxStepThreads)});
}

std::vector<ListEntry> read_entries(const EvalOptions& options) {
  std::vector<ListEntry> entries = read_test_list(options.list);
  if (options.limit > 0 && entries.size() > options.limit) entries.resize(options.limit);
  return select_shard(std::move(entries), parse_shard(options.shard));
}

void check_folder(const std::filesystem::path& folder, std::string_view what) {
  require_folder(folder, fmt::format("the root of the {}", what));
}

void check_folders(const EvalOptions& options) {
  check_folder(options.paths.images_root, "images");
  if (!options.paths.truth_root.empty()) check_folder(options.paths.truth_root, "ground truth");
  prepare_output_folder(options.paths.out);
}

EvaluationSettings describe_run(const EvalOptions& options, const Settings& settings, const Engine& engine) {
  EvaluationSettings run = describe_run(options.paths, settings, engine);
  FitViews& fit = run.options.run.fit;
  const bool is_volume = run.options.run.surface.kind == SurfaceChoice::Kind::kVolume;
  // No entry of a list is a capture.
  if (fit.kind == FitViews::Kind::kAutomatic) fit = {is_volume ? FitViews::Kind::kAll : FitViews::Kind::kNone};
  run.list = options.list;
  run.limit = options.limit;
  run.shard = parse_shard(options.shard);
  return run;
}

StepThreads step_threads(const EvalOptions& options, const Engine& engine) {
  StepThreads threads = spare_step_threads(engine.device().device.kind, physical_core_count());
  warn_of_many_threads("--read-threads", options.step_threads.read);
  warn_of_many_threads("--write-threads", options.step_threads.write);
  if (options.step_threads.read > 0) threads.read = options.step_threads.read;
  if (options.step_threads.write > 0) threads.write = options.step_threads.write;
  return threads;
}

Evaluation evaluate_with_progress(std::span<const ListEntry> entries, const EvalOptions& options,
                                  const EvaluationSettings& run, const Settings& settings, Engine& engine, Trace& trace,
                                  RunManifest& manifest) {
  ProgressBar progress("samples", entries.size(), progress_style(settings));
  std::size_t done = 0;
  std::size_t failed = 0;
  FoldedLog failures(FoldedLog::Severity::kError), warnings(FoldedLog::Severity::kWarning);
  PipelineOptions evaluated = run.options;
  evaluated.on_warning = [&](const std::string& line) { warnings.add_line(line); };
  const EvaluationObserver observer{
      .on_result =
          [&](const SampleResult& result) {
            ++done;
            if (result.status != SampleStatus::kDone) {
              ++failed;
              failures.add(result.id, result.reason, fmt::format("line {}", result.line));
            }
            progress.update(done, failed);
          },
      .on_batch = [&](std::span<const SampleResult> results) { manifest.record(results); },
      .stop_requested = [] { return OrderlyEnd::requested(); }};
  Evaluation evaluation = evaluate(entries, evaluated, step_threads(options, engine), engine, trace, observer);
  warnings.finish();
  failures.finish();
  return evaluation;
}

// The entries that the run has not finished yet.
std::vector<ListEntry> unfinished(std::span<const ListEntry> entries, const RunManifest& manifest) {
  std::vector<ListEntry> left;
  std::ranges::copy_if(entries, std::back_inserter(left), [&](const ListEntry& entry) {
    return !entry.problem.empty() || manifest.find(entry.id) == nullptr;
  });
  return left;
}

// The earlier and the new results, in the list's order.
void add_finished(std::span<const ListEntry> entries, const RunManifest& manifest, Evaluation& evaluation) {
  for (const ListEntry& entry : entries) {
    const SampleResult* finished = entry.problem.empty() ? manifest.find(entry.id) : nullptr;
    if (finished == nullptr) continue;
    SampleResult& result = evaluation.results.emplace_back(*finished);
    result.line = entry.line;
    evaluation.compute_seconds += result.compute_ms / 1000;
    ++evaluation.earlier;
  }
  std::ranges::sort(evaluation.results, {}, &SampleResult::line);
}

RunManifest::Start prepare_start(const EvalOptions& options) {
  if (options.resume) return RunManifest::Start::kResume;
  return options.overwrite ? RunManifest::Start::kOverwrite : RunManifest::Start::kNew;
}

ExitCode run_eval(const EvalOptions& options, const Settings& settings) {
  const std::vector<ListEntry> entries = read_entries(options);
  check_folders(options);
  if (options.view) require_viewer();
  Trace trace(settings.trace);
  EngineOptions engine_options = resolve_engine_options(settings);
  engine_options.exact = true;  // scores compare with others' in fp32
  Engine engine = open_engine(engine_options);
  EvaluationSettings run = describe_run(options, settings, engine);
  const RunDescription description = run_description(run, describe_environment(Engine::libtorch_version()));
  const OrderlyEnd orderly;
  RunManifest manifest(options.paths.out, run_identity(run), prepare_start(options), description);
  const std::vector<ListEntry> left = unfinished(entries, manifest);
  if (options.resume) spdlog::info("{} of {} samples are done already", entries.size() - left.size(), entries.size());
  std::optional<MemorySampler> sampler;
  if (options.profile) sampler.emplace([&engine] { return engine.device_bytes(); });
  if (options.profile || trace.on()) engine.watch_device();
  if (run.options.run.fit.kind != FitViews::Kind::kNone) {
    spdlog::info("fit to masks: views {}, at most {} steps", to_string(run.options.run.fit), run.options.run.fit_steps);
  }
  if (run.options.run.initial.kind != InitialShape::Kind::kEllipsoid) {
    spdlog::info("stage 2 begins from {}", to_string(run.options.run.initial));
  }
  Evaluation evaluation;
  try {
    evaluation = evaluate_with_progress(left, options, run, settings, engine, trace, manifest);
  } catch (const DiskError& error) {
    throw Error(fmt::format("{}; the run has ended, and the same command with --resume continues it", error.what()));
  }
  add_finished(entries, manifest, evaluation);
  run.batch_at_last = engine.batch();
  const EvaluationSummary summary = summarize(evaluation);
  const std::vector<MemorySample> memory = sampler ? sampler->finish() : std::vector<MemorySample>();
  auto document = summary_document(summary, description);
  document["batch"] = batch_document(run);
  if (options.profile) document["profile"] = profile_document(summary, memory);
  const auto find_options = [&](const SampleResult&) -> const PipelineOptions& { return run.options; };
  const auto draw = [&] { return draw_evaluation(evaluation, find_options, run.threads, options.view); };
  const ExitCode code = write_outputs(evaluation, summary, document, draw, options.paths.out, settings.json);
  write_trace(trace);
  if (!settings.json) print(batch_line(run));
  if (options.profile && !settings.json) print_profile(summary, memory);
  if (summary.stopped) spdlog::warn("stopped; run the same command with --resume to continue");
  return code;
}

}  // namespace

void add_eval_command(CLI::App& app, const Settings& settings, ExitCode& exit_code) {
  const auto options = std::make_shared<EvalOptions>();
  options->paths.run.fit.kind = FitViews::Kind::kAutomatic;
  CLI::App* command = app.add_subcommand("eval", "Reconstruct a test list and compute statistics and metrics");
  add_options(*command, *options);
  command->footer(
      R"(Prints throughput and statistics of the milliseconds per sample, in total and by part. With --truth-root, also
prints the mean Chamfer distance (CD) and F1 on vertices, as published, and on points sampled on the surface.

Writes OUT/results.csv (one line per sample), OUT/summary.json, and OUT/report.html with charts and pictures. With
--truth-root, OUT/categories.csv has the means by category. Metrics are always computed in the first camera's frame,
independently of --frame.

If a sample fails or its ground truth is missing, its id and the reason are printed, and the other samples continue.
The exit code is then 4, or 3 or 1 if no sample is done. If the disk of OUT is full or fails, the run ends at once, and
--resume continues it.

Examples:
  p2mpp eval --list data/test_list.txt --images-root data --truth-root data --out results
  p2mpp eval --list test_list.txt --images-root ShapeNetRendering --out results --batch 16 --json)");
  command->callback([options, &settings, &exit_code] { exit_code = run_eval(*options, settings); });
}

}  // namespace p2mpp::cli
