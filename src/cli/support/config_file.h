#pragma once

#include <CLI/CLI.hpp>

namespace p2mpp::cli {

/// Adds --config FILE.toml. The command line takes precedence over the environment, and the environment over the file
/// (CLI11 alone would prefer the file to the environment). The keys are the options' names; those of a subcommand are
/// in its section. An unknown key is a usage error that names it. P2MPP_CONFIG may name the file, too; a named file
/// must exist. Precondition: all options and subcommands have been added.
void add_config_option(CLI::App& app);

}  // namespace p2mpp::cli
