#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "base/environment.h"
#include "base/input_file.h"
#include "base/json_text.h"
#include "cli/commands/evaluation_run.h"
#include "cli/support/command.h"
#include "cli/support/console.h"
#include "cli/support/declared_options.h"
#include "cli/support/interrupt.h"
#include "cli/support/line_input.h"
#include "cli/support/settings.h"
#include "cli/support/shared_options.h"
#include "engine/engine_options.h"
#include "eval/evaluation_report.h"
#include "p2mpp/engine.h"
#include "p2mpp/error.h"
#include "pipeline/steps.h"
#include "requests/worker.h"

namespace p2mpp::cli {
namespace {

struct WorkerCommandOptions {
  EvaluationPaths paths;  // if `out` is empty, requests name their own
  BatchingOptions batching;
  int queue = 1000;

  template <typename Visit>
  void visit_options(Visit&& visit) {
    constexpr long long kMaxQueue = 1'000'000;
    const auto add_folder = in_group("Folders", visit);
    add_folder(paths.images_root,
               {"--images-root", "Root of the images of a list's entries, as for `eval`", "FOLDER", file_name()});
    add_folder(paths.truth_root,
               {"--truth-root", "Root of their ground truth, as for `eval`. If given, entries are scored", "FOLDER",
                file_name()});
    add_folder(paths.out,
               {"-o,--out", "Folder for the files of requests without an output folder", "FOLDER", file_name()});
    paths.run.visit_options(visit);
    batching.visit_options(visit);
    visit(queue, {"--queue", "Largest number of waiting requests; at the limit, stdin is not read", "N",
                  whole_number(1, kMaxQueue), "Batching"});
  }
};

int largest_batch(const WorkerCommandOptions& options, const Settings& settings) {
  return options.batching.max_batch > 0 ? options.batching.max_batch : settings.engine.batch;
}

void check_folders(const WorkerCommandOptions& options) {
  for (const auto& root : {options.paths.images_root, options.paths.truth_root}) {
    if (!root.empty()) require_folder(root, "the root of a list's files");
  }
  if (!options.paths.out.empty()) prepare_output_folder(options.paths.out);
}

// Writes a line to stdout and flushes it. Returns false if nobody reads it any more.
bool say(const Json& json) {
  print(json_line(json));
  flush_output();
  return !output_closed();
}

WorkerStatistics serve(const ServiceOptions& options, Engine& engine, Trace& trace) {
  std::atomic<bool> is_mute = false;  // answers must not or cannot be written any more, because their reader is gone
  const auto stop_requested = [&] { return is_mute || OrderlyEnd::requested(); };
  LineInput input(STDIN_FILENO, kMaxRequestBytes, stop_requested, {STDOUT_FILENO, [&] { is_mute = true; }});
  const WorkerChannel channel{.next_line = [&] { return input.next(); },
                              .answer =
                                  [&](const Json& answer) {
                                    try {
                                      if (!say(answer)) is_mute = true;
                                    } catch (...) {
                                      is_mute = true;
                                      throw;
                                    }
                                  },
                              .stop_requested = stop_requested,
                              .give_up = [&] { is_mute = true; }};
  return run_worker(options, engine, trace, channel);
}

ExitCode run_worker_command(const WorkerCommandOptions& options, const Settings& settings) {
  check_folders(options);
  Trace trace(settings.trace);
  EngineOptions engine_options = resolve_engine_options(settings);
  engine_options.batch = largest_batch(options, settings);
  Engine engine = open_engine(engine_options);
  if (trace.on()) engine.watch_device();
  EvaluationSettings run = describe_run(options.paths, settings, engine);
  run.options.reading.threads = engine.threads();
  const OrderlyEnd orderly;
  say({{"ready", true},
       {"identity", run_identity(run)},
       {"description", run_description(run, describe_environment(Engine::libtorch_version()))},
       {"device", run.device},
       {"threads", run.threads},
       {"batch", engine.batch()}});
  const WorkerStatistics statistics = serve({.evaluation = run.options,
                                             .batch_timeout = std::chrono::milliseconds(options.batching.timeout_ms),
                                             .queue = static_cast<std::size_t>(options.queue),
                                             .ends_on_full_disk = true},
                                            engine, trace);
  write_trace(trace);
  spdlog::info("{} done, {} failed, {} refused, {} dropped", statistics.done, statistics.failed, statistics.refused,
               statistics.dropped);
  if (statistics.dropped > 0) return ExitCode::kStopped;
  const std::size_t failed = statistics.failed + statistics.refused;
  return exit_code_after(failed, statistics.done + failed, statistics.failed_otherwise == 0);
}

}  // namespace

void add_worker_command(CLI::App& app, const Settings& settings, ExitCode& exit_code) {
  const auto options = std::make_shared<WorkerCommandOptions>();
  options->paths.run = automatic_run_options();
  CLI::App* command =
      app.add_subcommand("worker", "Answer requests on stdin, one JSON object per line, with a warm model");
  add_options(*command, *options);
  command->footer(
      R"(The first line on stdout is {"ready": true, ...}. Then each request gets one line when it is finished: its id,
a status (done, not_scored, failed, refused, expired, dropped), the reason, its files and its times. Below, the second
request has five numbers for each camera. The third is an entry of a list, whose images are below --images-root.

Requests:

  {"id": "a", "images": ["0.png", "1.png"], "cameras": "cameras.txt", "output": "o", "priority": 1}
  {"id": "b", "images": ["0.png", "1.png"], "cameras": [[45, 25, 0, 0.8, 0], [90, 25, 0, 0.8, 0]]}
  {"id": "c", "entry": "02691156_p2mpp0001_00.dat", "line": 7}
  {"command": "statistics"}

Requests with higher priorities are computed first. One in eight requests is taken in order of arrival. At the end of
stdin, the worker answers all requests. It stops after SIGTERM, SIGINT or SIGHUP, and if nobody reads stdout. It then
finishes the batches that have started and answers the other requests as dropped. The exit code is 5 if any request was
dropped. If the disk is full or fails, the worker stops in the same way with exit code 1.

Examples:
  p2mpp worker --out meshes --max-batch 8 < requests.jsonl > answers.jsonl
  p2mpp worker --images-root data --truth-root data --out results)");
  command->callback([options, &settings, &exit_code] { exit_code = run_worker_command(*options, settings); });
}

}  // namespace p2mpp::cli
