#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace p2mpp::cli {

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
