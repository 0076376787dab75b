#pragma once

#include <string>

#include "cli/support/command.h"

namespace p2mpp::cli {

/// Adds the options that read the same everywhere to the main app; they may stand before and after the subcommand.
void add_global_options(CLI::App& app, Settings& settings);

/// Called once all options are read. Throws UsageError for those that contradict each other or do not exist.
void finish_settings(Settings& settings);

/// The settings' engine options with the model's folder filled in. Throws InputError if there is no model.
[[nodiscard]] EngineOptions resolve_engine_options(const Settings& settings);

/// Loads and warms up an engine and says in the log which model computes where, and why not on CUDA.
/// Throws what Engine's constructor throws.
[[nodiscard]] Engine open_engine(const EngineOptions& options);

/// The views of a numbered folder: --views, or those that the model was trained on.
[[nodiscard]] std::vector<std::size_t> view_indices(const Settings& settings, const ModelInfo& model);

}  // namespace p2mpp::cli
