#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace p2mpp::cli {

/// Help in 100 columns: what the command does, usage, its arguments and options, the options that read the same
/// everywhere, subcommands, examples.
class HelpFormatter final : public CLI::Formatter {
 public:
  static constexpr std::size_t kColumns = 100;

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
};

/// The usage line and the subcommands with a line each: what a call without arguments gets.
[[nodiscard]] std::string short_help(const CLI::App& app);

}  // namespace p2mpp::cli
