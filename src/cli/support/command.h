#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <memory>

#include "cli/support/settings.h"

namespace p2mpp::cli {

/// The documented exit codes.
enum class ExitCode { kDone = 0, kFailed = 1, kUsage = 2, kBadInput = 3, kSomeSamplesFailed = 4, kStopped = 5 };

/// The exit code after `failed` of `total` samples or files failed: kSomeSamplesFailed if others were done; otherwise
/// kBadInput, or kFailed if one failed for another reason than its input.
[[nodiscard]] constexpr ExitCode exit_code_after(std::size_t failed, std::size_t total, bool all_inputs = true) {
  if (failed == 0) return ExitCode::kDone;
  if (failed < total) return ExitCode::kSomeSamplesFailed;
  return all_inputs ? ExitCode::kBadInput : ExitCode::kFailed;
}

/// Each adds one subcommand. Its callback does the work, sets `exit_code` if it is not kDone, and throws p2mpp::Error,
/// which main turns into one line on stderr and its exit code. Results go to stdout, the log to stderr.
void add_predict_command(CLI::App& app, const Settings& settings, ExitCode& exit_code);
void add_refine_command(CLI::App& app, const Settings& settings, ExitCode& exit_code);
void add_texture_command(CLI::App& app, const Settings& settings, ExitCode& exit_code);
void add_finish_command(CLI::App& app, const Settings& settings, ExitCode& exit_code);
void add_import_command(CLI::App& app, const Settings& settings, ExitCode& exit_code);
void add_check_command(CLI::App& app, const Settings& settings, ExitCode& exit_code);
void add_eval_command(CLI::App& app, const Settings& settings, ExitCode& exit_code);
void add_compare_command(CLI::App& app, const Settings& settings, ExitCode& exit_code);
void add_merge_command(CLI::App& app, const Settings& settings, ExitCode& exit_code);
void add_worker_command(CLI::App& app, const Settings& settings, ExitCode& exit_code);
void add_serve_command(CLI::App& app, const Settings& settings, ExitCode& exit_code);
void add_bench_command(CLI::App& app, const Settings& settings, ExitCode& exit_code);
void add_metrics_command(CLI::App& app, const Settings& settings, ExitCode& exit_code);
void add_render_command(CLI::App& app, const Settings& settings, ExitCode& exit_code);
void add_morph_command(CLI::App& app, const Settings& settings, ExitCode& exit_code);
void add_selftest_command(CLI::App& app, const Settings& settings, ExitCode& exit_code);
void add_info_command(CLI::App& app, const Settings& settings, ExitCode& exit_code);
void add_completion_command(CLI::App& app, const Settings& settings, ExitCode& exit_code);

/// Creates the command line: global options and every subcommand. Parsing fills in `settings`; a subcommand sets
/// `exit_code` if it ends without an exception but not with kDone. Both must outlive the app.
[[nodiscard]] std::unique_ptr<CLI::App> make_app(Settings& settings, ExitCode& exit_code);

/// Runs a command line and returns its exit code. Errors become one line on stderr.
[[nodiscard]] int run(int argc, const char* const* argv);

}  // namespace p2mpp::cli
