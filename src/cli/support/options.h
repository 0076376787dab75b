#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace p2mpp::cli {

// Validators: an option's value is checked where it is read, and the one line that a wrong value gives says what was
// expected: "--batch: expected a whole number from 1 to 1024; got 'x'".

/// A whole number from low to high.
[[nodiscard]] CLI::Validator whole_number(long long low, long long high);

/// A finite number from low to high.
[[nodiscard]] CLI::Validator number(double low, double high);

/// A number above 0 and up to 1.
[[nodiscard]] CLI::Validator share();

/// "auto", which becomes kAutoBatch, or the number of samples of a batch. For transform().
[[nodiscard]] CLI::Validator batch_size();

/// One of some words.
[[nodiscard]] CLI::Validator one_of(std::vector<std::string> words);

/// auto, cpu, cuda or cuda:N.
[[nodiscard]] CLI::Validator device_name();

/// Anything but nothing.
[[nodiscard]] CLI::Validator file_name();

/// A list of values between commas in a subcommand; shadows the single-valued option of the same name.
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

/// Finishes the options of an app and of its subcommands in one place: each option that a configuration file may hold
/// gets the environment variable P2MPP_NAME (--no-tf32: P2MPP_NO_TF32; those of a subcommand when it is the one that is
/// given), flags accept true and false alone, and the last of several values of an option counts.
void finish_options(CLI::App& app);

/// The environment variable's value; nullptr where it is unset, empty, or the option has none.
[[nodiscard]] const char* environment_value(const CLI::Option& option);

/// Takes the variables that were left: newer versions of CLI11 drop without a word what does not validate before it is
/// split at commas. To be called when the command line has been parsed. Throws ValidationError for a wrong value.
void take_remaining_environment(CLI::App& app);

/// The app's own option of a long name, not its parent's; nullptr if there is none.
[[nodiscard]] const CLI::Option* find_own_option(const CLI::App& app, const std::string& long_name);

}  // namespace p2mpp::cli
