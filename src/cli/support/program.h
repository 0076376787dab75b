#pragma once

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/support/command.h"

namespace p2mpp::cli {

/// Creates the command line: global options and every subcommand. Parsing fills in `settings`; a subcommand sets
/// `exit_code` if it ends without an exception but not with kDone. Both must outlive the app.
[[nodiscard]] std::unique_ptr<CLI::App> make_app(Settings& settings, ExitCode& exit_code);

/// Runs a command line and returns its exit code. Errors become one line on stderr.
[[nodiscard]] int run(int argc, const char* const* argv);

}  // namespace p2mpp::cli
