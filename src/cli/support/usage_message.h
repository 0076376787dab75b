#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace p2mpp::cli {

/// One line for a command line that could not be parsed: what was wrong, what was expected, what was probably meant,
/// and which variable or file a wrong value came from.
[[nodiscard]] std::string describe_parse_error(const CLI::App& app, const CLI::ParseError& error);

/// Whether --help was among the arguments, whatever else is wrong with them.
[[nodiscard]] bool help_requested(const CLI::App& app);

}  // namespace p2mpp::cli
