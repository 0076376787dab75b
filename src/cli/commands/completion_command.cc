#include <fmt/format.h>

#include <memory>

#include "cli/support/command.h"
#include "cli/support/completion.h"
#include "cli/support/console.h"
#include "cli/support/declared_options.h"

namespace p2mpp::cli {
namespace {

struct CompletionOptions {
  std::string shell;

  template <typename Visit>
  void visit_options(Visit&& visit) {
    visit(shell, {"SHELL", "The shell", "", one_of({"bash", "zsh", "fish"})}, {.required = true});
  }
};

std::string completion(const std::string& shell, const CLI::App& app) {
  const std::vector<CompletionCommand> commands = describe_app(app);
  if (shell == "bash") return bash_completion(commands);
  return shell == "zsh" ? zsh_completion(commands) : fish_completion(commands);
}

}  // namespace

void add_completion_command(CLI::App& app, const Settings& /*settings*/, ExitCode& /*exit_code*/) {
  const auto options = std::make_shared<CompletionOptions>();
  CLI::App* command = app.add_subcommand("completion", "Print a shell script that completes p2mpp's command line");
  add_options(*command, *options);
  command->footer(R"(Examples:
  source <(p2mpp completion bash)
  p2mpp completion bash > ~/.local/share/bash-completion/completions/p2mpp
  p2mpp completion zsh > ~/.zfunc/_p2mpp
  p2mpp completion fish > ~/.config/fish/completions/p2mpp.fish)");
  command->callback([options, &app] { print(completion(options->shell, app)); });
}

}  // namespace p2mpp::cli
