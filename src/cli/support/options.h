#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace p2mpp::cli {

// Validators. They check an option's value when it is parsed, and the one line of the error says what was expected:
// "--batch: expected a whole number from 1 to 1024; got 'x'".

/// A whole number from low to high.
[[nodiscard]] CLI::Validator whole_number(long long low, long long high);

/// A finite number from low to high.
[[nodiscard]] CLI::Validator number(double low, double high);

/// A number above 0 and up to 1.
[[nodiscard]] CLI::Validator share();

/// "auto", which becomes kAutoBatch, or a batch size. For transform().
[[nodiscard]] CLI::Validator batch_size();

/// A whole number from 0 to `largest`, or auto, which becomes largest + 1.
[[nodiscard]] CLI::Validator view_number(std::size_t largest);

/// One of these words.
[[nodiscard]] CLI::Validator one_of(std::vector<std::string> words);

/// auto, cpu, cuda or cuda:N.
[[nodiscard]] CLI::Validator device_name();

/// Any text that is not empty.
[[nodiscard]] CLI::Validator file_name();

/// Adds a comma-separated list to a subcommand. It replaces the global option of the same name, which has a single
/// value.
template <typename Value>
void add_list(CLI::App& command, const std::string& name, std::vector<Value>& values, const std::string& help,
              const std::string& type, const CLI::Validator& validator, const std::string& group) {
  command.add_option(name, values, help)
      ->type_name(type)
      ->delimiter(',')
      ->allow_extra_args(false)
      ->transform(validator)
      ->group(group);
}

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

}  // namespace p2mpp::cli
