#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <vector>

#include "capture/open_sample.h"
#include "capture/preparation_options.h"
#include "capture/sample_from_capture.h"
#include "io/image/pixel_budget.h"
#include "io/mesh/mesh_file.h"
#include "p2mpp/engine.h"

namespace p2mpp::cli {

/// Options that are the same in every subcommand.
struct Settings {
  EngineOptions engine;
  std::vector<std::size_t> views;  ///< --views 0,6,7: which views of a folder or capture; empty: those of the model
  std::size_t view_count = 0;      ///< --views 8 or auto: the number of views to use, the best ones; 0: not given
  std::vector<std::size_t> stage_views;       ///< numbers of views of stages 1 and 2; empty: all
  bool no_tf32 = false;                       ///< precision auto selects fp32 instead of tf32
  std::size_t max_pixels = kMaxPixelsInWork;  ///< of decoded images in memory
  bool json = false;                          ///< one JSON document on stdout and nothing else there
  bool quiet = false;
  bool verbose = false;
  std::filesystem::path trace;  ///< a Chrome trace; empty: none

  template <typename Visit>
  void visit_options(Visit&& visit);
};

/// Adds the options of every subcommand to the main app. They may come before and after the subcommand.
void add_global_options(CLI::App& app, Settings& settings);

/// Called after parsing. Throws UsageError for options that contradict each other or do not exist.
void finish_settings(Settings& settings);

/// Logs a warning if an option asks for far more threads than the machine runs at a time.
void warn_of_many_threads(const char* option, int threads);

/// The settings' engine options with the model's folder filled in. Throws InputError if there is no model.
[[nodiscard]] EngineOptions resolve_engine_options(const Settings& settings);

/// Loads and warms up an engine. Logs the model, the backend and the device, and why it is not CUDA. Throws what
/// Engine's constructor throws.
[[nodiscard]] Engine open_engine(const EngineOptions& options);

/// The views to use of a numbered folder: --views, or those that the model was trained on, which come first where
/// --views names a number of views.
[[nodiscard]] std::vector<std::size_t> view_indices(const Settings& settings, const ModelInfo& model);

/// --stage-views.
[[nodiscard]] StageViews stage_views(const Settings& settings);

using ViewNumbers = std::vector<std::size_t>;

/// How a sample's folder or a capture is read. `numbered`: view_indices(). Throws UsageError as check_turntable().
[[nodiscard]] SampleRequest sample_request(const Settings& settings, const ViewNumbers& numbered,
                                           const PreparationOptions& capture = {});

/// The same for commands that refuse captures.
[[nodiscard]] SampleRequest folder_request(const Settings& settings,
                                           const ViewNumbers& numbered = SampleRequest().trained_views);

/// open_sample() with a bar on a terminal while the photographs of a capture are read.
[[nodiscard]] OpenedSample open_with_bar(const std::filesystem::path& path, SampleRequest request,
                                         const Settings& settings);

/// read_noted_mesh(), which logs what its reader has to say.
[[nodiscard]] NotedMesh read_mesh_and_log_notes(const std::filesystem::path& file);

}  // namespace p2mpp::cli
