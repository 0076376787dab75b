#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace p2mpp::cli {

/// Adds --config FILE.toml. The command line takes precedence over the environment, and the environment over the file
/// (CLI11 alone would prefer the file to the environment). The keys are the options' names; those of a subcommand are
/// in its section. An unknown key is a usage error that names it. P2MPP_CONFIG may name the file, too; a named file
/// must exist. Precondition: all options and subcommands have been added.
void add_config_option(CLI::App& app);

/// The items of a TOML text that the environment does not override, and CLI11's marks of sections. Throws
/// CLI::ConfigError for a key that is not an option. Precondition: add_config_option().
[[nodiscard]] std::vector<CLI::ConfigItem> parse_config(const CLI::App& app, const std::string& text);

/// Why the file that --config or P2MPP_CONFIG names cannot be read.
[[nodiscard]] std::string describe_unreadable_config(const CLI::App& app);

}  // namespace p2mpp::cli
