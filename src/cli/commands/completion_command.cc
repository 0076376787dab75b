#include <fmt/format.h>

#include <memory>

#include "cli/support/command.h"
#include "cli/support/completion.h"
#include "cli/support/console.h"
#include "cli/support/options.h"

namespace p2mpp::cli {
namespace {

std::string completion(const std::string& shell, const CLI::App& app) {
  const std::vector<CompletionCommand> commands = describe_app(app);
  if (shell == "bash") return bash_completion(commands);
  return shell == "zsh" ? zsh_completion(commands) : fish_completion(commands);
}

}  // namespace

void add_completion_command(CLI::App& app, const Settings& /*settings*/, ExitCode& /*exit_code*/) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("completion", "Print a shell script that completes p2mpp's command line");
  command->add_option("SHELL", *shell, "The shell")
      ->type_name("bash|zsh|fish")
      ->check(one_of({"bash", "zsh", "fish"}))
      ->required();
  command->footer(R"(Examples:
  source <(p2mpp completion bash)
  p2mpp completion bash > ~/.local/share/bash-completion/completions/p2mpp
  p2mpp completion zsh > ~/.zfunc/_p2mpp
  p2mpp completion fish > ~/.config/fish/completions/p2mpp.fish)");
  command->callback([shell, &app] { print(completion(*shell, app)); });
}

}  // namespace p2mpp::cli
