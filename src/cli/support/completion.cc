#include "cli/support/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>

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
  if (item.kind == ValueKind::kWords) return fmt::format("_p2mpp_words '{}'", fmt::join(item.words, " "));
  if (item.kind == ValueKind::kFile) return "_p2mpp_paths -f";
  return item.kind == ValueKind::kFolder ? "_p2mpp_paths -d" : ":";
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
  if (item.kind == ValueKind::kWords) return fmt::format("({})", fmt::join(item.words, " "));
  if (item.kind == ValueKind::kFile) return "_files";
  return item.kind == ValueKind::kFolder ? "_files -/" : " ";
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
  if (item.kind == ValueKind::kNone) return "";
  if (item.kind == ValueKind::kWords) return fmt::format(" -x -a '{}'", fmt::join(item.words, " "));
  if (item.kind == ValueKind::kFile) return " -r -F";
  return item.kind == ValueKind::kFolder ? " -x -a '(__fish_complete_directories)'" : " -x";
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

namespace {

std::vector<std::string> offered_words(const std::string& type) {
  std::vector<std::string> words = CLI::detail::split(type, '|');
  std::erase_if(words, [](const std::string& word) {
    return std::ranges::any_of(word, [](unsigned char letter) { return std::isupper(letter) != 0; });
  });
  return words;
}

ValueKind value_kind(const std::string& type, bool takes_value) {
  if (!takes_value) return ValueKind::kNone;
  if (type == "FILE" || type == "PATH") return ValueKind::kFile;
  if (type == "FOLDER") return ValueKind::kFolder;
  return offered_words(type).empty() ? ValueKind::kOther : ValueKind::kWords;
}

CompletionItem describe(const CLI::Option& option) {
  CompletionItem item;
  for (const std::string& name : option.get_lnames()) item.names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) item.names.push_back("-" + name);
  item.description = first_clause(option.get_description());
  const bool takes_value = option.get_expected_max() > 0;
  item.type = takes_value ? option.get_type_name() : "";
  item.kind = value_kind(item.type, takes_value);
  if (item.kind == ValueKind::kWords) item.words = offered_words(item.type);
  item.repeats = option.get_items_expected_max() > 1;
  return item;
}

CompletionCommand describe_command(const CLI::App& app, bool is_main) {
  CompletionCommand command{is_main ? "" : app.get_name(), first_clause(app.get_description()), {}, {}};
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) {
      command.arguments.push_back(describe(*option));
    } else if (is_main || option != app.get_help_ptr()) {
      command.options.push_back(describe(*option));
    }
  }
  return command;
}

}  // namespace

std::string first_clause(const std::string& text) {
  constexpr std::array<std::string_view, 4> kStops = {"; ", ". ", " (", ": "};
  std::size_t end = text.size();
  for (const std::string_view stop : kStops) end = std::min(end, text.find(stop));
  return text.substr(0, end);
}

std::vector<CompletionCommand> describe_app(const CLI::App& app) {
  std::vector<CompletionCommand> commands = {describe_command(app, true)};
  for (const CLI::App* subcommand : app.get_subcommands(std::function<bool(const CLI::App*)>())) {
    commands.push_back(describe_command(*subcommand, false));
  }
  return commands;
}

}  // namespace p2mpp::cli
