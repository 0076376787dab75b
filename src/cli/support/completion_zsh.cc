#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/support/completion.h"

namespace p2mpp::cli {
namespace {

// Escapes a text for single quotes, and for the brackets and colons of an _arguments specification.
std::string zsh_quoted(const std::string& text) {
  std::string result;
  for (const char letter : text) {
    if (letter == '\'') {
      result += "'\\''";
    } else if (letter == '[' || letter == ']' || letter == ':' || letter == '\\') {
      result += '\\';
      result += letter;
    } else {
      result += letter;
    }
  }
  return result;
}

std::string action(const CompletionItem& item) {
  switch (item.kind) {
    case ValueKind::kWords:
      return fmt::format("({})", fmt::join(item.words, " "));
    case ValueKind::kFile:
      return "_files";
    case ValueKind::kFolder:
      return "_files -/";
    case ValueKind::kNone:
    case ValueKind::kOther:
      break;
  }
  return " ";
}

// For instance '(-q --quiet)'{-q,--quiet}'[Log errors only]' or '--model=[Model folder]:FOLDER:_files -/'.
std::string option_specification(const CompletionItem& option) {
  const bool takes_value = option.kind != ValueKind::kNone;
  std::vector<std::string> names = option.names;
  if (takes_value) {
    for (std::string& name : names) name += name.starts_with("--") ? "=" : "+";
  }
  const std::string name = names.size() == 1
                               ? fmt::format("'{}", names.front())
                               : fmt::format("'({})'{{{}}}'", fmt::join(option.names, " "), fmt::join(names, ","));
  const std::string value = takes_value ? fmt::format(":{}:{}", zsh_quoted(option.type), action(option)) : "";
  return fmt::format("{}[{}]{}'", name, zsh_quoted(option.description), value);
}

std::string argument_specification(const CompletionItem& argument, std::size_t position) {
  const std::string where = argument.repeats ? "*" : std::to_string(position);
  return fmt::format("'{}:{}:{}'", where, zsh_quoted(argument.description), action(argument));
}

std::string specifications(const CompletionCommand& command, const char* indent) {
  std::string text;
  for (const CompletionItem& option : command.options) text += indent + option_specification(option) + "\n";
  for (std::size_t i = 0; i < command.arguments.size(); ++i) {
    text += indent + argument_specification(command.arguments[i], i + 1) + "\n";
  }
  return text;
}

std::string subcommand_list(const std::vector<CompletionCommand>& commands) {
  std::string text;
  for (std::size_t i = 1; i < commands.size(); ++i) {
    text += fmt::format("    '{}:{}'\n", commands[i].name, zsh_quoted(commands[i].description));
  }
  return text;
}

std::string subcommand_cases(const std::vector<CompletionCommand>& commands) {
  std::string text;
  for (std::size_t i = 1; i < commands.size(); ++i) {
    text +=
        fmt::format("        {}) own=(\n{}        ) ;;\n", commands[i].name, specifications(commands[i], "          "));
  }
  return text;
}

}  // namespace

std::string zsh_completion(const std::vector<CompletionCommand>& commands) {
  return fmt::format(R"(#compdef p2mpp
# Completion of p2mpp for zsh, made by `p2mpp completion zsh`.
_p2mpp() {{
  local curcontext=$curcontext state line
  typeset -A opt_args
  local -a global own subcommands
  subcommands=(
{}  )
  global=(
{}  )
  _arguments -C "${{global[@]}}" '(-)1: :->subcommand' '(-)*:: :->rest'
  case $state in
    subcommand) _describe subcommand subcommands ;;
    rest)
      case $words[1] in
{}      esac
      _arguments "${{own[@]}}" "${{global[@]}}" ;;
  esac
}}
if [[ $funcstack[1] == _p2mpp ]]; then
  _p2mpp "$@"
else
  compdef _p2mpp p2mpp
fi
)",
                     subcommand_list(commands), specifications(commands.front(), "    "), subcommand_cases(commands));
}

}  // namespace p2mpp::cli
