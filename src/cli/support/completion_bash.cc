#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/support/completion.h"

namespace p2mpp::cli {
namespace {

constexpr const char* kHelpers = R"(# Completion of p2mpp for bash, made by `p2mpp completion bash`.
_p2mpp_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur"); }
_p2mpp_paths() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen "$1" -- "$cur")
}
)";

// Bash splits "--name=value" into three words.
constexpr const char* kWordUnderCursor =
    R"(  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command='' i
  COMPREPLY=()
  if [[ $cur == '=' ]]; then
    cur=''
  elif [[ $prev == '=' ]]; then
    prev=${COMP_WORDS[COMP_CWORD-2]}
  fi
)";

std::string offer(const CompletionItem& item) {
  switch (item.kind) {
    case ValueKind::kWords:
      return fmt::format("_p2mpp_words '{}'", fmt::join(item.words, " "));
    case ValueKind::kFile:
      return "_p2mpp_paths -f";
    case ValueKind::kFolder:
      return "_p2mpp_paths -d";
    case ValueKind::kNone:
    case ValueKind::kOther:
      break;
  }
  return ":";
}

std::vector<std::string> names_with_values(const std::vector<CompletionCommand>& commands) {
  std::vector<std::string> names;
  for (const CompletionCommand& command : commands) {
    for (const CompletionItem& option : command.options) {
      if (option.kind != ValueKind::kNone) names.insert(names.end(), option.names.begin(), option.names.end());
    }
  }
  return names;
}

std::vector<std::string> subcommand_names(const std::vector<CompletionCommand>& commands) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i < commands.size(); ++i) names.push_back(commands[i].name);
  return names;
}

// Finds the subcommand before the cursor; skips the values of options.
std::string find_subcommand(const std::vector<CompletionCommand>& commands) {
  return fmt::format(
      R"(  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${{COMP_WORDS[i]}} in
      {})
        ((i++))
        [[ ${{COMP_WORDS[i]}} == '=' ]] && ((i++)) ;;
      {})
        command=${{COMP_WORDS[i]}}
        break ;;
    esac
  done
)",
      fmt::join(names_with_values(commands), "|"), fmt::join(subcommand_names(commands), "|"));
}

// A subcommand's own options come before the global ones of the same name.
std::string complete_values(const std::vector<CompletionCommand>& commands) {
  std::string text = "  case $command:$prev in\n";
  for (auto command = commands.rbegin(); command != commands.rend(); ++command) {
    for (const CompletionItem& option : command->options) {
      if (option.kind == ValueKind::kNone) continue;
      std::vector<std::string> patterns;
      for (const std::string& name : option.names) {
        patterns.push_back((command->name.empty() ? "*" : command->name) + ":" + name);
      }
      text += fmt::format("    {}) {}; return ;;\n", fmt::join(patterns, "|"), offer(option));
    }
  }
  return text + "  esac\n";
}

std::string option_names(const CompletionCommand& command) {
  std::vector<std::string> names;
  for (const CompletionItem& option : command.options)
    names.insert(names.end(), option.names.begin(), option.names.end());
  return fmt::format("{}", fmt::join(names, " "));
}

std::string complete_options(const std::vector<CompletionCommand>& commands) {
  std::string text = fmt::format("  if [[ $cur == -* ]]; then\n    local options='{}'\n    case $command in\n",
                                 option_names(commands.front()));
  for (std::size_t i = 1; i < commands.size(); ++i) {
    if (!commands[i].options.empty()) {
      text += fmt::format("      {}) options+=' {}' ;;\n", commands[i].name, option_names(commands[i]));
    }
  }
  return text + "    esac\n    _p2mpp_words \"$options\"\n    return\n  fi\n";
}

std::string complete_arguments(const std::vector<CompletionCommand>& commands) {
  std::string text =
      fmt::format("  case $command in\n    '') _p2mpp_words '{}' ;;\n", fmt::join(subcommand_names(commands), " "));
  for (std::size_t i = 1; i < commands.size(); ++i) {
    if (commands[i].arguments.empty()) continue;
    text += fmt::format("    {}) {} ;;\n", commands[i].name, offer(commands[i].arguments.front()));
  }
  return text + "  esac\n";
}

}  // namespace

std::string bash_completion(const std::vector<CompletionCommand>& commands) {
  return fmt::format("{}_p2mpp() {{\n{}{}{}{}{}}}\ncomplete -F _p2mpp p2mpp\n", kHelpers, kWordUnderCursor,
                     find_subcommand(commands), complete_values(commands), complete_options(commands),
                     complete_arguments(commands));
}

}  // namespace p2mpp::cli
