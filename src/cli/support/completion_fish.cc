#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/support/completion.h"

namespace p2mpp::cli {
namespace {

std::string fish_quoted(const std::string& text) {
  std::string result = "'";
  for (const char letter : text) {
    if (letter == '\'' || letter == '\\') result += '\\';
    result += letter;
  }
  return result + "'";
}

std::string names(const CompletionItem& option) {
  std::string text;
  for (const std::string& name : option.names) {
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  return text;
}

std::string value(const CompletionItem& item) {
  switch (item.kind) {
    case ValueKind::kNone:
      return "";
    case ValueKind::kWords:
      return fmt::format(" -x -a '{}'", fmt::join(item.words, " "));
    case ValueKind::kFile:
      return " -r -F";
    case ValueKind::kFolder:
      return " -x -a '(__fish_complete_directories)'";
    case ValueKind::kOther:
      break;
  }
  return " -x";
}

// The completions of an argument: words or files.
std::string argument_value(const CompletionItem& argument) {
  if (argument.kind == ValueKind::kFile) return " -F";
  return argument.kind == ValueKind::kOther ? "" : value(argument);
}

std::string condition(const CompletionCommand& command) {
  return command.name.empty() ? "" : fmt::format(" -n '__fish_seen_subcommand_from {}'", command.name);
}

std::string complete_command(const CompletionCommand& command) {
  std::string text;
  for (const CompletionItem& option : command.options) {
    text += fmt::format("complete -c p2mpp{}{}{} -d {}\n", condition(command), names(option), value(option),
                        fish_quoted(option.description));
  }
  for (const CompletionItem& argument : command.arguments) {
    text += fmt::format("complete -c p2mpp{}{} -d {}\n", condition(command), argument_value(argument),
                        fish_quoted(argument.description));
  }
  return text;
}

}  // namespace

std::string fish_completion(const std::vector<CompletionCommand>& commands) {
  std::string text = "# Completion of p2mpp for fish, made by `p2mpp completion fish`.\ncomplete -c p2mpp -f\n";
  for (std::size_t i = 1; i < commands.size(); ++i) {
    text += fmt::format("complete -c p2mpp -n __fish_use_subcommand -a {} -d {}\n", commands[i].name,
                        fish_quoted(commands[i].description));
  }
  for (const CompletionCommand& command : commands) text += complete_command(command);
  return text;
}

}  // namespace p2mpp::cli
