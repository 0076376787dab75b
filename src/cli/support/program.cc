#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>
#include <system_error>

#include "base/environment.h"
#include "cli/support/command.h"
#include "cli/support/console.h"
#include "cli/support/interrupt.h"
#include "cli/support/options.h"
#include "cli/support/settings.h"
#include "cli/support/usage.h"
#include "p2mpp/engine.h"
#include "p2mpp/error.h"

namespace p2mpp::cli {
namespace {

constexpr const char* kFooter =
    R"(Options are also read from the environment (--device: P2MPP_DEVICE, --no-tf32: P2MPP_NO_TF32) and from the
file of --config. The command line takes precedence over the environment, the environment over the
file, and the file over the default.

Exit codes:
  0  done
  1  failed: the device, the disk or the program
  2  usage: an option or argument is wrong
  3  bad input: an image, sample, list, mesh or model is missing or damaged
  4  some samples of several failed, and the others are done (if none is done: 3 or 1)
  5  stopped by a signal. Finished samples are recorded, and `eval --resume` continues. `serve` and
     `worker`: requests were dropped. `merge --list`: samples are missing

Examples:
  p2mpp predict data/02691156/p2mpp0001
  p2mpp predict --images a.png b.png c.png --cameras cameras.txt --out meshes
  p2mpp --json info)";

std::string version_text() {
  const Environment environment = describe_environment(Engine::libtorch_version());
  return fmt::format("p2mpp {} (commit {}, {}, LibTorch {}, {})", environment.version, environment.commit,
                     environment.build_type, Engine::libtorch_version(), environment.compiler);
}

void add_subcommands(CLI::App& app, const Settings& settings, ExitCode& exit_code) {
  add_predict_command(app, settings, exit_code);
  add_refine_command(app, settings, exit_code);
  add_texture_command(app, settings, exit_code);
  add_finish_command(app, settings, exit_code);
  add_import_command(app, settings, exit_code);
  add_check_command(app, settings, exit_code);
  add_eval_command(app, settings, exit_code);
  add_merge_command(app, settings, exit_code);
  add_compare_command(app, settings, exit_code);
  add_worker_command(app, settings, exit_code);
  add_serve_command(app, settings, exit_code);
  add_bench_command(app, settings, exit_code);
  add_metrics_command(app, settings, exit_code);
  add_render_command(app, settings, exit_code);
  add_morph_command(app, settings, exit_code);
  add_selftest_command(app, settings, exit_code);
  add_info_command(app, settings, exit_code);
  add_completion_command(app, settings, exit_code);
}

Verbosity verbosity(const Settings& settings) {
  if (settings.quiet) return Verbosity::kQuiet;
  return settings.verbose ? Verbosity::kVerbose : Verbosity::kDefault;
}

int fail(const std::string& message, ExitCode code) {
  spdlog::error("{}", message);
  return static_cast<int>(code);
}

int fail_to_parse(const CLI::App& app, const CLI::ParseError& error) {
  if (dynamic_cast<const CLI::CallForVersion*>(&error) != nullptr) {
    print(fmt::format("{}\n", error.what()));
  } else if (help_requested(app)) {
    print(app.help());
  } else {
    return fail(describe_parse_error(app, error), ExitCode::kUsage);
  }
  flush_output();
  return static_cast<int>(ExitCode::kDone);
}

int run_app(CLI::App& app, int argc, const char* const* argv, const ExitCode& exit_code) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return fail_to_parse(app, error);
  }
  if (app.get_subcommands().empty()) {
    const int code = fail("no subcommand; expected one of those below", ExitCode::kUsage);
    fmt::print(stderr, "{}", short_help(app));
    return code;
  }
  flush_output();
  return static_cast<int>(exit_code);
}

// For an exception that nothing can catch: a destructor (of JSON) allocates and no memory is left.
[[noreturn]] void end_at_once() {
  constexpr std::string_view kLine = "p2mpp: error: out of memory; ended at once, temporary files may be left\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kLine.data(), kLine.size());
  std::_Exit(static_cast<int>(ExitCode::kFailed));
}

void on_terminate() {
  try {
    if (const std::exception_ptr exception = std::current_exception()) std::rethrow_exception(exception);
  } catch (const std::bad_alloc&) {
    end_at_once();
  } catch (...) {  // a mistake in the program
  }
  std::abort();
}

}  // namespace

std::unique_ptr<CLI::App> make_app(Settings& settings, ExitCode& exit_code) {
  auto app = std::make_unique<CLI::App>(
      "Reconstructs a triangle mesh from 2 to 64 images of an object whose "
      "cameras are known (Pixel2Mesh++).",
      "p2mpp");
  app->formatter(std::make_shared<HelpFormatter>());
  app->set_help_flag("-h,--help", "Print this help")->group("General");
  app->fallthrough();
  app->require_subcommand(0, 1);
  app->footer(kFooter);
  add_global_options(*app, settings);
  app->set_version_flag("--version", version_text, "Print version, commit, build type, LibTorch and compiler")
      ->group("General");
  add_subcommands(*app, settings, exit_code);
  add_config_option(*app);
  finish_options(*app);
  app->parse_complete_callback([app = app.get(), &settings] {
    apply_list_environment(*app);
    finish_settings(settings);
    set_up_log(verbosity(settings));
  });
  return app;
}

int run(int argc, const char* const* argv) {
  // SIGPIPE is ignored, because print() handles a closed stdout and the process must not end between two files. SIGXFSZ
  // is ignored, so that a file beyond its size limit is an error like a full disk.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  std::set_terminate(on_terminate);
  try {
    set_up_log(Verbosity::kDefault);
  } catch (const std::bad_alloc&) {
    end_at_once();
  }
  const InterruptGuard guard;
  try {
    Settings settings;
    ExitCode exit_code = ExitCode::kDone;
    const std::unique_ptr<CLI::App> app = make_app(settings, exit_code);
    return run_app(*app, argc, argv, exit_code);
  } catch (const UsageError& error) {
    return fail(error.what(), ExitCode::kUsage);
  } catch (const InputError& error) {
    return fail(error.what(), ExitCode::kBadInput);
  } catch (const std::bad_alloc&) {
    return fail("out of memory", ExitCode::kFailed);
  } catch (const std::system_error& error) {
    const bool is_lacking = error.code() == std::errc::resource_unavailable_try_again;
    return fail(
        is_lacking ? fmt::format("the system gives no more threads or memory ({})", error.what()) : error.what(),
        ExitCode::kFailed);
  } catch (const std::exception& error) {
    return fail(error.what(), ExitCode::kFailed);
  }
}

}  // namespace p2mpp::cli
