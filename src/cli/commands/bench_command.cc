#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "base/environment.h"
#include "base/json_text.h"
#include "capture/open_sample.h"
#include "cli/support/command.h"
#include "cli/support/console.h"
#include "cli/support/declared_options.h"
#include "cli/support/settings.h"
#include "engine/engine_options.h"
#include "eval/benchmark.h"
#include "p2mpp/engine.h"
#include "p2mpp/error.h"

namespace p2mpp::cli {
namespace {

constexpr int kMaxRepeats = 1'000'000;
constexpr std::uint64_t kSampleSeed = 1;

// A list is empty if its option was not given; then the single value of the settings is measured.
struct BenchOptions {
  std::filesystem::path sample;  // empty: a synthetic one
  std::vector<std::string> devices, backends, precisions;
  std::vector<int> batches;
  int warmup = -1;
  int repeats = 0;
  bool no_baseline = false;
  std::string format = "md";
  std::filesystem::path out;  // empty: stdout

  template <typename Visit>
  void visit_options(Visit&& visit) {
    visit(sample, {"SAMPLE", "Folder with images and cameras to compute (default: three synthetic views)", "FOLDER",
                   file_name()});
    const auto add_list = in_group("Combinations", visit);
    add_list(devices, {"--device", "Devices, such as cpu,cuda", "NAME,...", device_name()});
    add_list(backends, {"--backend", "Backends", "NAME,...", one_of(backend_choices())});
    add_list(precisions, {"--precision", "Precisions, such as fp32,bf16", "NAME,...", one_of(precision_choices())});
    add_list(batches, {"--batch", "Batches, such as 1,4,auto", "N,...", batch_size()});
    add_list(no_baseline,
             {"--no-baseline",
              "Do not measure the baseline (torchscript, fp32, batch 1 on the CPU) unless the lists contain it"});
    const auto add = in_group("Measurement", visit);
    add(warmup,
        {"--warmup", "Calls before the measurement (default: 15 on CUDA, 2 on a CPU)", "N",
         whole_number(0, kMaxWarmupPasses)},
        {.standard = ""});
    add(repeats, {"--repeats", "Measured calls (default: 100 on CUDA, 10 on a CPU)", "N", whole_number(1, kMaxRepeats)},
        {.standard = ""});
    add(format, {"--format", "Format of the result; --json is the same as json", "", one_of({"md", "csv", "json"})});
    add(out, {"-o,--out", "File for the result (default: stdout)", "FILE", file_name()});
  }
};

Sample load_sample(const BenchOptions& options, const Settings& settings, const ModelInfo& model) {
  if (options.sample.empty()) return synthetic_sample(kSampleSeed);
  return open_sample(options.sample, folder_request(settings, view_indices(settings, model))).sample;
}

template <typename Value>
std::vector<Value> listed_or(const std::vector<Value>& list, const Value& value) {
  return list.empty() ? std::vector<Value>{value} : list;
}

// --no-tf32 applies to lists as it does to single values.
std::vector<std::string> without_tf32(std::vector<std::string> precisions) {
  if (std::ranges::find(precisions, "tf32") != precisions.end()) {
    throw UsageError("--no-tf32 and --precision tf32: expected one of them");
  }
  std::ranges::replace(precisions, "auto", "fp32");
  return precisions;
}

BenchmarkOptions what_to_measure(const BenchOptions& options, const Settings& settings) {
  const EngineOptions engine = resolve_engine_options(settings);
  const std::vector<std::string> precisions = listed_or(options.precisions, engine.precision);
  return {.engine = engine,
          .devices = listed_or(options.devices, engine.device),
          .backends = listed_or(options.backends, engine.backend),
          .precisions = settings.no_tf32 ? without_tf32(precisions) : precisions,
          .batches = listed_or(options.batches, engine.batch),
          .warmup = options.warmup >= 0 ? options.warmup : engine.warmup,
          .repeats = options.repeats,
          .baseline = !options.no_baseline};
}

std::string format_report(const BenchmarkReport& report, const std::string& format) {
  if (format == "json") return json_text(benchmark_document(report));
  return format == "csv" ? benchmark_csv(report) : benchmark_markdown(report);
}

void log_cuda_problem(const std::vector<std::string>& devices) {
  if (std::ranges::find(devices, "auto") == devices.end()) return;
  const DeviceChoice choice = choose_computing_device("auto");
  if (!choice.note.empty()) spdlog::info("{}", choice.note);
}

void run_bench(const BenchOptions& options, const Settings& settings) {
  if (!options.out.empty()) check_output_file(options.out);
  const BenchmarkOptions measured = what_to_measure(options, settings);
  const ModelInfo model = read_model_info(measured.engine.model);
  const Sample sample = load_sample(options, settings, model);
  Trace trace(settings.trace);
  log_cuda_problem(measured.devices);
  const BenchmarkReport report{
      .rows = run_benchmark(measured, sample, open_engine_subject, trace,
                            [](std::string_view combination) { spdlog::info("measuring {}", combination); }),
      .model = model,
      .sample_id = sample.id,
      .view_count = sample.views.size(),
      .flops = count_flops(model.sizes, sample.views.size()),
      .environment = describe_environment(Engine::libtorch_version())};
  trace.write();
  const std::string text = format_report(report, settings.json ? "json" : options.format);
  if (options.out.empty()) {
    print(text);
  } else {
    write_file_atomically(options.out, text);
    spdlog::info("wrote {}", options.out.string());
  }
}

}  // namespace

void add_bench_command(CLI::App& app, const Settings& settings, ExitCode& /*exit_code*/) {
  const auto options = std::make_shared<BenchOptions>();
  CLI::App* command = app.add_subcommand("bench", "Measure the speed of devices, backends, precisions and batches");
  add_options(*command, *options);
  command->footer(
      R"(Measures every combination of the lists: wall clock time from decoded images to vertices in the host's memory,
in total and by part, in milliseconds per sample. The speed-up compares the median total with that of the CPU baseline.
GFLOP/s count the convolutions and the dense products of graph convolutions. On a CPU they are compared with the GEMM
rate: the rate of a large matrix product in the same precision with the same number of threads, measured before each
combination. Combinations that this machine does not support are listed as skipped, with the reason.

Examples:
  p2mpp bench
  p2mpp bench --device cpu,cuda --precision fp32,tf32 --batch 1,4 --format md --out bench.md
  p2mpp bench data/02691156/p2mpp0001 --repeats 50 --json)");
  command->callback([options, &settings] { run_bench(*options, settings); });
}

}  // namespace p2mpp::cli
