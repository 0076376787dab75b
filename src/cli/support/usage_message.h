#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace p2mpp::cli {

/// One line for a command line that could not be parsed: the mistake, the expected value, the probable intention, and
/// the environment variable or file of a wrong value.
[[nodiscard]] std::string describe_parse_error(const CLI::App& app, const CLI::ParseError& error);

/// Whether --help is among the arguments, even if others are wrong.
[[nodiscard]] bool help_requested(const CLI::App& app);

}  // namespace p2mpp::cli
