#pragma once

#include <string>

#include "cli/support/command.h"

namespace p2mpp::cli {

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

/// The number of photographs of a capture to use: the number in --views or, without one, that of the model's training.
[[nodiscard]] std::size_t network_view_count(const Settings& settings, const ModelInfo& model);

}  // namespace p2mpp::cli
