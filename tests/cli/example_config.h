#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "base/text.h"
#include "cli/support/completion.h"

namespace p2mpp::cli::testing {

inline constexpr const char* kExampleHead =
    R"(# Options of p2mpp, read with --config p2mpp.example.toml or P2MPP_CONFIG=p2mpp.example.toml.
#
# Every key is an option's long name; `p2mpp SUBCOMMAND --help` describes it. The command line takes precedence over the
# environment (P2MPP_BATCH=4), and the environment over this file. An unknown key is an error. The values below are the
# defaults. Keys without a default are commented out. A value must not contain a '#'.
#
# Made from the declarations of the options: P2MPP_WRITE_EXAMPLE_CONFIG=1 ctest --test-dir build -R cli/Help
)";

/// "fit-steps = 24  # Steps of the fit, at most", or "# limit = N  # Use only ..." for an option without a default or
/// one that excludes others.
inline std::string example_line(const CLI::Option& option) {
  const bool is_flag = option.get_expected_max() == 0;
  const std::string type = option.get_type_name(), standard = option.get_default_str();
  const bool has_value = !standard.empty() && standard.find(' ') == std::string::npos && option.get_excludes().empty();
  const std::string key = option.get_lnames().front();
  std::string line = key + " = ";
  if (is_flag) {
    line += "false";
  } else if (!has_value) {
    line = "# " + line + type;
  } else {
    line += parse_finite(standard) ? standard : fmt::format("\"{}\"", standard);
  }
  const std::string words = has_value && type.find('|') != std::string::npos ? type + ": " : "";
  return fmt::format("{:<27} # {}{}\n", line, words, first_clause(option.get_description()));
}

/// The options of the app or a subcommand that a configuration file may contain, in the groups of its help.
inline std::string example_section(const CLI::App& app) {
  std::string text;
  for (const std::string& group : app.get_groups()) {
    std::string lines;
    for (const CLI::Option* option : app.get_options()) {
      const bool is_key = option->get_configurable() && !option->get_lnames().empty();
      if (is_key && option->get_group() == group) lines += example_line(*option);
    }
    if (!lines.empty()) text += fmt::format("\n# {}\n{}", group, lines);
  }
  return text;
}

/// p2mpp.example.toml.
inline std::string example_config(const CLI::App& app) {
  std::string text = kExampleHead + example_section(app);
  for (const CLI::App* command : app.get_subcommands(std::function<bool(const CLI::App*)>())) {
    const std::string section = example_section(*command);
    if (!section.empty()) text += fmt::format("\n[{}]{}", command->get_name(), section);
  }
  return text;
}

}  // namespace p2mpp::cli::testing
