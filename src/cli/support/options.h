#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace p2mpp::cli {

/// Finishes the options of an app and its subcommands: each option that a configuration file may contain gets the
/// environment variable P2MPP_NAME (--no-tf32: P2MPP_NO_TF32; a subcommand's variables apply only if that subcommand is
/// used), flags accept only true and false, and if an option is given several times, the last value counts.
void finish_options(CLI::App& app);

/// The environment variable's value; nullptr if it is unset or empty, or if the option has none.
[[nodiscard]] const char* environment_value(const CLI::Option& option);

/// Applies list-valued environment variables: newer versions of CLI11 silently ignore a value that does not validate
/// before it is split at commas. Precondition: the command line has been parsed. Throws ValidationError for a wrong
/// value.
void apply_list_environment(CLI::App& app);

/// The app's own option with this long name, not its parent's; nullptr if there is none.
[[nodiscard]] const CLI::Option* find_own_option(const CLI::App& app, const std::string& long_name);

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
