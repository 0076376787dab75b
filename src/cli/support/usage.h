#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <string_view>

namespace p2mpp::cli {

/// The word that was probably meant. This is the nearest one within one change, plus one more change per four typed
/// characters, and the first of several equally near words. Empty if there is none.
[[nodiscard]] std::string suggest(std::string_view typed, std::span<const std::string> words);

/// "; did you mean 'WORD'?", or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view typed, std::span<const std::string> words);

/// One line for a command line that could not be parsed: the mistake, the expected value, the probable intention, and
/// the environment variable or file of a wrong value.
[[nodiscard]] std::string describe_parse_error(const CLI::App& app, const CLI::ParseError& error);

/// Whether --help is among the arguments, even if others are wrong.
[[nodiscard]] bool help_requested(const CLI::App& app);

/// Formats help in 100 columns: what the command does, usage, arguments, its own options, the options of every
/// subcommand, subcommands, examples.
class HelpFormatter final : public CLI::Formatter {
 public:
  static constexpr std::size_t kColumns = 100;

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
};

/// The usage line and one line for each subcommand: printed for a call without arguments.
[[nodiscard]] std::string short_help(const CLI::App& app);

}  // namespace p2mpp::cli
