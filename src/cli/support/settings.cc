#include "cli/support/settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>

#include "cli/support/console.h"
#include "cli/support/options.h"
#include "engine/engine_options.h"
#include "eval/engine_facts.h"
#include "p2mpp/error.h"

namespace p2mpp::cli {
namespace {

constexpr long long kMaxViewIndex = 9999;

void add_model_options(CLI::App& app, Settings& settings) {
  constexpr const char* kGroup = "Model";
  app.add_option("--model", settings.engine.model,
                 "Model folder (default: models/p2mpp-shapes, here or beside the program)")
      ->type_name("FOLDER")
      ->check(file_name())
      ->group(kGroup);
  app.add_flag_callback(
         "--trust-model", [&settings] { settings.engine.hash_check = HashCheck::kSkip; },
         "Load the model's files even if their SHA-256 differs from model.json. They contain code that is executed: "
         "use this only for models that you exported yourself")
      ->group(kGroup);
  app.add_option(
         "--views", settings.views,
         "Two to five views to use, counted from 0, the network's frame first: the numbers in the files' names "
         "(rendering/NN.png; default: those that the model was trained on), entries of cameras.json (default: those "
         "with \"use\"), images of a folder with cameras.txt, or photographs of a capture (default: the best), both in "
         "the order of their names")
      ->type_name("N,N,...")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(whole_number(0, kMaxViewIndex))
      ->group(kGroup);
}

void add_compute_options(CLI::App& app, EngineOptions& engine) {
  constexpr const char* kGroup = "Computation";
  app.add_option("--device", engine.device, "Device to compute on; auto is CUDA if a device works, else the CPU")
      ->type_name("auto|cpu|cuda|cuda:N")
      ->check(device_name())
      ->capture_default_str()
      ->group(kGroup);
  app.add_option("--backend", engine.backend,
                 "Implementation of the network; auto is the first that supports the precision")
      ->type_name(fmt::format("{}", fmt::join(backend_choices(), "|")))
      ->check(one_of(backend_choices()))
      ->capture_default_str()
      ->group(kGroup);
  app.add_option("--precision", engine.precision, "Arithmetic of matrix products; auto is tf32 on CUDA, fp32 on a CPU")
      ->type_name(fmt::format("{}", fmt::join(precision_choices(), "|")))
      ->check(one_of(precision_choices()))
      ->capture_default_str()
      ->group(kGroup);
  app.add_option("--batch", engine.batch, "Samples computed together; auto measures the fastest number")
      ->type_name("N|auto")
      ->transform(batch_size())
      ->capture_default_str()
      ->group(kGroup);
  app.add_option("--memory-share", engine.memory_share, "Largest share of the device's memory in use with --batch auto")
      ->type_name("X")
      ->check(share())
      ->capture_default_str()
      ->group(kGroup);
  app.add_option("--threads", engine.threads, "CPU threads; 0: one per physical core")
      ->type_name("N")
      ->check(whole_number(0, kMaxThreads))
      ->capture_default_str()
      ->group(kGroup);
  app.add_option("--instruction-set", engine.instruction_set,
                 "Instruction set of the CPU; auto is the most capable one")
      ->type_name("auto|portable|avx2|avx512|avx512_bf16")
      ->capture_default_str()
      ->group(kGroup);
  app.add_option("--warmup", engine.warmup, "Passes before the first sample; -1: 15 on CUDA, none on a CPU")
      ->type_name("N")
      ->check(whole_number(-1, kMaxWarmupPasses))
      ->capture_default_str()
      ->group(kGroup);
}

void add_output_options(CLI::App& app, Settings& settings) {
  constexpr const char* kGroup = "Output";
  app.add_flag("--json", settings.json, "Print one JSON document on stdout, and nothing else")->group(kGroup);
  app.add_flag("-q,--quiet", settings.quiet, "Log errors only")->group(kGroup);
  app.add_flag("-v,--verbose", settings.verbose, "Log everything")->group(kGroup);
  app.add_option("--trace", settings.trace, "Write a timeline as a Chrome trace (opens in ui.perfetto.dev)")
      ->type_name("FILE")
      ->check(file_name())
      ->group(kGroup);
}

std::string describe_device(const Engine& engine) {
  const Device device = engine.device().device;
  if (device.kind == DeviceKind::kCpu) return fmt::format("cpu ({} threads)", engine.threads());
  return fmt::format("{} ({})", to_string(device),
                     cuda_driver().devices.at(static_cast<std::size_t>(device.index)).name);
}

}  // namespace

void add_global_options(CLI::App& app, Settings& settings) {
  add_model_options(app, settings);
  add_compute_options(app, settings.engine);
  app.add_flag("--no-tf32", settings.no_tf32, "With precision auto, use fp32 on CUDA instead of tf32")
      ->group("Computation");
  add_output_options(app, settings);
}

void finish_settings(Settings& settings) {
  if (settings.quiet && settings.verbose) throw UsageError("--quiet and --verbose: expected one of them");
  if (settings.no_tf32 && settings.engine.precision == "tf32") {
    throw UsageError("--no-tf32 and --precision tf32: expected one of them");
  }
  if (settings.no_tf32 && settings.engine.precision == "auto") settings.engine.precision = "fp32";
  const std::size_t count = settings.views.size();
  if (count != 0 && (count < kMinViews || count > kMaxViews)) {
    throw UsageError(fmt::format("--views: expected {} to {} views; got {}", kMinViews, kMaxViews, count));
  }
}

EngineOptions resolve_engine_options(const Settings& settings) {
  EngineOptions options = settings.engine;
  if (options.model.empty()) options.model = default_model_folder();
  options.on_warning = [](const std::string& warning) { spdlog::warn("{}", warning); };
  return options;
}

Engine open_engine(const EngineOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  Engine engine(options);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  if (!engine.device().note.empty()) spdlog::info("{}", engine.device().note);
  spdlog::info("model {} ({}), backend {} {} on {}", engine.model().name, to_string(engine.model().semantics),
               engine.backend(), to_string(engine.precision()), describe_device(engine));
  if (engine.batch_choice().is_measured()) spdlog::info("batch {}", describe(engine.batch_choice()));
  spdlog::debug("model folder {}, weights from {}", engine.model().folder.string(), engine.model().weights_from);
  spdlog::debug("LibTorch {}; ready after {:.2f} s", Engine::libtorch_version(), elapsed.count());
  return engine;
}

std::vector<std::size_t> view_indices(const Settings& settings, const ModelInfo& model) {
  return settings.views.empty() ? model.view_indices : settings.views;
}

std::size_t network_view_count(const ModelInfo& model) {
  return std::clamp(model.view_indices.size(), kMinViews, kMaxViews);
}

}  // namespace p2mpp::cli
