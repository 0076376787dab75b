#include "cli/support/settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include "base/parallel.h"
#include "base/text.h"
#include "cli/support/console.h"
#include "cli/support/declared_options.h"
#include "cli/support/progress.h"
#include "engine/engine_options.h"
#include "eval/engine_facts.h"
#include "p2mpp/error.h"

namespace p2mpp::cli {
namespace {

constexpr long long kMostPixels = 1LL << 40;
constexpr std::size_t kMaxViewIndex = 9999;
constexpr std::size_t kAutoViews = 5;  // give the bundled model its best meshes: bench/QUALITY.md, "More views"

void check_view_number(std::size_t count) {
  if (count >= kMinViews && count <= kMaxViews) return;
  throw UsageError(fmt::format("--views: expected {} to {} views; got {}", kMinViews, kMaxViews, count));
}

std::string describe_device(const Engine& engine) {
  const Device device = engine.device().device;
  if (device.kind == DeviceKind::kCpu) return fmt::format("cpu ({} threads)", engine.threads());
  return fmt::format("{} ({})", to_string(device),
                     cuda_driver().devices.at(static_cast<std::size_t>(device.index)).name);
}

}  // namespace

template <typename Visit>
void Settings::visit_options(Visit&& visit) {
  const auto add_model = in_group("Model", visit);
  add_model(engine.model,
            {"--model", "Model folder (default: p2mpp-shapes, which comes with the program)", "FOLDER", file_name()});
  add_model(engine.hash_check,
            {"--trust-model",
             "Load the model's files even if their SHA-256 differs from model.json. They contain code that is "
             "executed: use this only for models that you exported yourself"},
            {.sets = "skip"});
  add_model(
      views,
      {"--views",
       "The 2 to 64 views to use, counted from 0, the network's frame first: the numbers in the files' names "
       "(rendering/NN.png; default: those that the model was trained on), entries of cameras.json (default: those with "
       "\"use\"), images of a folder with cameras.txt, or photographs of a capture (default: the best), both in the "
       "order of their names. A single number: so many, the best; auto: as many as give the best meshes, five",
       "N,N,...|N|auto", auto_or_whole_number(0, kMaxViewIndex, kMaxViewIndex + 1)});
  add_model(stage_views,
            {"--stage-views", "How many of the views stage 1 and stage 2 read: the first ones; 0: all (default: 0,0)",
             "N,N", whole_number(0, static_cast<long long>(kMaxViews))},
            {.count = 2});

  const auto add = in_group("Computation", visit);
  visit_engine_options(engine, add);
  add(no_tf32, {"--no-tf32", "With precision auto, use fp32 on CUDA instead of tf32"});
  add(max_pixels, {"--max-pixels",
                   "Largest number of decoded pixels of images in memory: further samples and photographs wait, and a "
                   "sample that has more alone is refused",
                   "N", whole_number(1, kMostPixels)});

  const auto add_output = in_group("Output", visit);
  add_output(json, {"--json", "Print one JSON document on stdout, and nothing else"});
  add_output(quiet, {"-q,--quiet", "Log errors only"});
  add_output(verbose, {"-v,--verbose", "Log everything"});
  add_output(trace, {"--trace", "Write a timeline as a Chrome trace (opens in ui.perfetto.dev)", "FILE", file_name()});
}

void add_global_options(CLI::App& app, Settings& settings) { add_options(app, settings); }

void finish_settings(Settings& settings) {
  if (settings.quiet && settings.verbose) throw UsageError("--quiet and --verbose: expected one of them");
  if (settings.no_tf32 && settings.engine.precision == "tf32") {
    throw UsageError("--no-tf32 and --precision tf32: expected one of them");
  }
  if (settings.no_tf32 && settings.engine.precision == "auto") settings.engine.precision = "fp32";
  if (settings.views.size() == 1) {
    const std::size_t count = settings.views.front();
    settings.views.clear();
    settings.view_count = count > kMaxViewIndex ? kAutoViews : count;
    check_view_number(settings.view_count);
  } else if (!settings.views.empty()) {
    check_view_number(settings.views.size());
    if (std::ranges::any_of(settings.views, [](std::size_t view) { return view > kMaxViewIndex; })) {
      throw UsageError("--views: cannot mix auto with numbers; expected one or the other");
    }
  }
}

// More threads than that take turns on the cores, and memory each.
void warn_of_many_threads(const char* option, int threads) {
  constexpr unsigned kFarBeyond = 4;
  const unsigned cores = std::thread::hardware_concurrency();
  if (cores == 0 || threads <= 0 || static_cast<unsigned>(threads) <= kFarBeyond * cores) return;
  spdlog::warn("{} {}: this machine runs {} at a time; expected at most about as many", option, threads, cores);
}

EngineOptions resolve_engine_options(const Settings& settings) {
  warn_of_many_threads("--threads", settings.engine.threads);
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
  if (!settings.views.empty()) return settings.views;
  std::vector<std::size_t> indices = model.view_indices;
  if (settings.view_count == 0) return indices;
  for (std::size_t i = 0; indices.size() < settings.view_count; ++i) {
    if (std::ranges::find(model.view_indices, i) == model.view_indices.end()) indices.push_back(i);
  }
  indices.resize(settings.view_count);
  return indices;
}

StageViews stage_views(const Settings& settings) {
  if (settings.stage_views.empty()) return {};
  return {.stage1 = settings.stage_views[0], .stage2 = settings.stage_views[1]};
}

SampleRequest sample_request(const Settings& settings, const ViewNumbers& numbered, const PreparationOptions& capture) {
  if (capture.source.is_turntable) check_turntable(capture.source.turntable);
  return {.views = settings.views,
          .view_count = settings.view_count,
          .trained_views = numbered,
          .max_pixels = settings.max_pixels,
          .threads = settings.engine.threads > 0 ? settings.engine.threads : physical_core_count(),
          .capture = capture};
}

SampleRequest folder_request(const Settings& settings, const ViewNumbers& numbered) {
  SampleRequest request = sample_request(settings, numbered);
  request.takes_captures = false;
  return request;
}

OpenedSample open_with_bar(const std::filesystem::path& path, SampleRequest request, const Settings& settings) {
  std::optional<ProgressBar> bar;
  if (progress_style(settings) == ProgressStyle::kBar) {
    request.on_photograph = [&bar](std::size_t read, std::size_t all) {
      if (!bar) bar.emplace("photographs", all, ProgressStyle::kBar);
      bar->update(read, 0);
    };
  }
  return open_sample(path, request);
}

NotedMesh read_mesh_and_log_notes(const std::filesystem::path& file) {
  NotedMesh read = read_noted_mesh(file);
  for (const std::string& note : read.notes) spdlog::info("{}: {}", display(file), note);
  return read;
}

}  // namespace p2mpp::cli
