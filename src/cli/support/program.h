#pragma once

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/support/command.h"

namespace p2mpp::cli {

/// The whole command line: global options and every subcommand. What it reads is put into `settings`; `exit_code` is
/// set where a subcommand ends in something else than kDone without an exception. Both must outlive the app.
[[nodiscard]] std::unique_ptr<CLI::App> make_app(Settings& settings, ExitCode& exit_code);

/// Runs a command line. Errors become one line on stderr and the documented exit code, which is returned.
[[nodiscard]] int run(int argc, const char* const* argv);

}  // namespace p2mpp::cli
