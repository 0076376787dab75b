#pragma once

#include <CLI/CLI.hpp>

namespace p2mpp::cli {

/// Adds --config FILE.toml. What counts is the command line, then the environment, then the file (CLI11 alone puts the
/// file before the environment). The file's keys are options' names; those of a subcommand stand in its section. An
/// unknown key is a usage error that names it. The file may be named by P2MPP_CONFIG too, and must then be there. To be
/// called when all options and subcommands are in.
void add_config_option(CLI::App& app);

}  // namespace p2mpp::cli
