#include "cli/support/usage.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <sstream>

#include "base/text.h"
#include "cli/support/options.h"

namespace p2mpp::cli {

std::string suggest(std::string_view typed, std::span<const std::string> words) {
  std::size_t nearest = std::numeric_limits<std::size_t>::max();
  std::string suggestion;
  for (const std::string& word : words) {
    const std::size_t distance = edit_distance(typed, word);
    if (distance < nearest) {
      nearest = distance;
      suggestion = word;
    }
  }
  return nearest <= 1 + typed.size() / 4 ? suggestion : std::string();
}

std::string did_you_mean(std::string_view typed, std::span<const std::string> words) {
  const std::string suggestion = suggest(typed, words);
  return suggestion.empty() ? std::string() : "; did you mean '" + suggestion + "'?";
}

namespace {

// The selected subcommand, or the app itself.
const CLI::App& selected(const CLI::App& app) {
  const std::vector<CLI::App*> subcommands = app.get_subcommands();
  return subcommands.empty() ? app : *subcommands.front();
}

std::string help_hint(const CLI::App& app) {
  const CLI::App& command = selected(app);
  return &command == &app ? "; see p2mpp --help" : fmt::format("; see p2mpp {} --help", command.get_name());
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> subcommand_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* subcommand : app.get_subcommands(std::function<bool(const CLI::App*)>())) {
    names.push_back(subcommand->get_name());
  }
  return names;
}

std::string describe_leftover(const CLI::App& app, const std::string& leftover) {
  const CLI::App& command = selected(app);
  if (leftover.starts_with('-')) {
    const std::string name = leftover.substr(0, leftover.find('='));
    std::vector<std::string> names = option_names(app);
    if (&command != &app) std::ranges::copy(option_names(command), std::back_inserter(names));
    return fmt::format("no option '{}'{}{}", name, did_you_mean(name, names), help_hint(app));
  }
  if (&command != &app) return fmt::format("'{}' is one argument too many{}", leftover, help_hint(app));
  return fmt::format("no subcommand '{}'{}{}", leftover, did_you_mean(leftover, subcommand_names(app)), help_hint(app));
}

// CLI11's messages begin with the option's name ("--batch: ...").
std::string name_in(const CLI::ParseError& error) {
  const std::string message = error.what();
  return message.substr(0, message.find(':'));
}

const CLI::Option* find_option(const CLI::App& app, const std::string& name) {
  const CLI::Option* option = selected(app).get_option_no_throw(name);
  return option != nullptr ? option : app.get_option_no_throw(name);
}

bool on_command_line(const CLI::App& app, const CLI::Option* option) {
  const auto holds = [option](const CLI::App& level) {
    return std::ranges::find(level.parse_order(), option) != level.parse_order().end();
  };
  return holds(app) || holds(selected(app));
}

// Where a value came from; empty if it came from the command line.
std::string origin(const CLI::App& app, const CLI::Option* option) {
  if (option == nullptr || on_command_line(app, option)) return {};
  if (environment_value(*option) != nullptr) return fmt::format(" (in {})", option->get_envname());
  const auto file = app.get_config_ptr()->as<std::string>();
  return file.empty() ? std::string() : fmt::format(" (in {})", file);
}

std::string describe_missing_value(const CLI::App& app, const std::string& name) {
  const CLI::Option* option = find_option(app, name);
  const std::string type = option == nullptr ? std::string() : fmt::format(" ({})", option->get_type_name());
  return fmt::format("{}: expected a value{}{}", name, type, help_hint(app));
}

}  // namespace

std::string describe_parse_error(const CLI::App& app, const CLI::ParseError& error) {
  std::vector<std::string> leftovers = app.remaining(true);
  std::erase(leftovers, "--");
  if (!leftovers.empty()) return describe_leftover(app, leftovers.front());
  if (dynamic_cast<const CLI::FileError*>(&error) != nullptr) {
    return describe_unreadable_config(app);
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    return describe_missing_value(app, name_in(error));
  }
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) return error.what() + help_hint(app);
  return error.what() + origin(app, find_option(app, name_in(error)));
}

bool help_requested(const CLI::App& app) {
  const CLI::App& command = selected(app);
  return app.get_help_ptr()->count() > 0 || command.get_help_ptr()->count() > 0;
}

namespace {

constexpr std::size_t kIndent = 2;
constexpr std::size_t kTextColumn = 32;

// Wraps a text at `width` columns and indents all lines but the first.
std::string wrap(const std::string& text, std::size_t width, std::size_t indent) {
  std::istringstream words(text);
  std::string result;
  std::size_t column = 0;
  for (std::string word; words >> word;) {
    if (column > 0 && column + 1 + word.size() > width) {
      result += "\n" + std::string(indent, ' ');
      column = 0;
    }
    if (column > 0) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
  }
  return result + "\n";
}

std::string entry(const std::string& name, const std::string& text) {
  std::string left = std::string(kIndent, ' ') + name;
  if (left.size() + kIndent > kTextColumn) {
    left += "\n" + std::string(kTextColumn, ' ');
  } else {
    left.resize(kTextColumn, ' ');
  }
  return left + wrap(text, HelpFormatter::kColumns - kTextColumn, kTextColumn);
}

std::string option_entry(const CLI::Option& option) {
  const bool positional = option.get_positional();
  std::string name = CLI::detail::find_and_replace(option.get_name(positional, !positional), ",", ", ");
  const bool takes_value = option.get_expected_max() > 0;
  if (takes_value && !positional) name += " " + option.get_type_name();
  if (option.get_allow_extra_args()) name += "...";
  std::string text = option.get_description();
  if (takes_value && !option.get_default_str().empty()) text += fmt::format(" (default: {})", option.get_default_str());
  return entry(name, text);
}

bool is_in_group(const CLI::Option& option, const std::string& group) {
  return option.get_group() == group && !option.get_positional();
}

// Whether a subcommand has an option of the same name, which replaces the global one after its name.
bool is_shadowed(const CLI::Option& option, const CLI::App& command) {
  return std::ranges::any_of(option.get_lnames(),
                             [&](const std::string& name) { return find_own_option(command, name) != nullptr; });
}

using OptionFilter = std::function<bool(const CLI::Option&)>;

// The groups of an app's options that pass the filter, each with a heading and its entries.
std::string option_groups(const CLI::App& app, const OptionFilter& filter) {
  std::string text;
  for (const std::string& group : app.get_groups()) {
    const auto options =
        app.get_options([&](const CLI::Option* option) { return is_in_group(*option, group) && filter(*option); });
    if (options.empty() || group.empty()) continue;
    text += "\n" + group + ":\n";
    for (const CLI::Option* option : options) text += option_entry(*option);
  }
  return text;
}

std::string positionals(const CLI::App& app) {
  const auto options = app.get_options([](const CLI::Option* option) { return option->get_positional(); });
  if (options.empty()) return {};
  std::string text = "\nArguments:\n";
  for (const CLI::Option* option : options) text += option_entry(*option);
  return text;
}

std::string subcommands(const CLI::App& app) {
  const auto commands = app.get_subcommands(std::function<bool(const CLI::App*)>());
  if (commands.empty()) return {};
  std::string text = "\nSubcommands:\n";
  for (const CLI::App* command : commands) text += entry(command->get_name(), command->get_description());
  return text;
}

std::string usage(const CLI::App& app, const std::string& name) {
  std::string text = "Usage: " + name;
  for (const CLI::Option* option : app.get_options([](const CLI::Option* o) { return o->get_positional(); })) {
    std::string argument = option->get_name(true, false);
    if (option->get_items_expected_max() > 1) argument += "...";
    text += option->get_required() ? " " + argument : " [" + argument + "]";
  }
  if (!app.get_subcommands(std::function<bool(const CLI::App*)>()).empty()) text += " SUBCOMMAND";
  return text + " [OPTIONS]\n";
}

// Paragraphs are wrapped; indented lines (examples, lists) and headings stay as they are.
std::string footer(const std::string& text) {
  std::istringstream lines(text);
  std::string result;
  std::string paragraph;
  const auto end_paragraph = [&] {
    if (!paragraph.empty()) result += wrap(paragraph, HelpFormatter::kColumns, 0);
    paragraph.clear();
  };
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.starts_with(' ') || line.ends_with(':')) {
      end_paragraph();
      result += line + "\n";
    } else {
      paragraph += line + " ";
    }
  }
  end_paragraph();
  return result;
}

}  // namespace

std::string HelpFormatter::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode /*mode*/) const {
  const CLI::App* main_app = app->get_parent();
  const OptionFilter all = [](const CLI::Option&) { return true; };
  const OptionFilter not_help = [&](const CLI::Option& option) { return &option != app->get_help_ptr(); };
  const OptionFilter not_shadowed = [&](const CLI::Option& option) {
    return &option == main_app->get_help_ptr() || !is_shadowed(option, *app);
  };
  std::string text = wrap(app->get_description(), kColumns, 0) + "\n" + usage(*app, name);
  text += positionals(*app) + subcommands(*app) + option_groups(*app, main_app == nullptr ? all : not_help);
  if (main_app != nullptr) text += option_groups(*main_app, not_shadowed);
  if (!app->get_footer().empty()) text += "\n" + footer(app->get_footer());
  return text;
}

std::string short_help(const CLI::App& app) {
  return usage(app, app.get_name()) + subcommands(app) + "\nSee p2mpp --help.\n";
}

}  // namespace p2mpp::cli
