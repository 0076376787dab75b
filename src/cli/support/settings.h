#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <vector>

#include "io/image/pixel_budget.h"
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

}  // namespace p2mpp::cli
