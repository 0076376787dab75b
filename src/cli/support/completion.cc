#include "cli/support/completion.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace p2mpp::cli {
namespace {

std::vector<std::string> offered_words(const std::string& type) {
  std::vector<std::string> words = CLI::detail::split(type, '|');
  std::erase_if(words, [](const std::string& word) {
    return std::ranges::any_of(word, [](unsigned char letter) { return std::isupper(letter) != 0; });
  });
  return words;
}

ValueKind kind_of(const std::string& type, bool takes_value) {
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
  item.kind = kind_of(item.type, takes_value);
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
