#include "cli/support/usage_message.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/support/config_file.h"
#include "cli/support/options.h"
#include "cli/support/suggestion.h"

namespace p2mpp::cli {
namespace {

using Words = std::vector<std::string>;

// The selected subcommand, or the app itself.
const CLI::App& selected(const CLI::App& app) {
  const std::vector<CLI::App*> subcommands = app.get_subcommands();
  return subcommands.empty() ? app : *subcommands.front();
}

std::string help_hint(const CLI::App& app) {
  const CLI::App& command = selected(app);
  return &command == &app ? "; see p2mpp --help" : fmt::format("; see p2mpp {} --help", command.get_name());
}

Words option_names(const CLI::App& app) {
  Words names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

Words subcommand_names(const CLI::App& app) {
  Words names;
  for (const CLI::App* subcommand : app.get_subcommands(std::function<bool(const CLI::App*)>())) {
    names.push_back(subcommand->get_name());
  }
  return names;
}

std::string describe_leftover(const CLI::App& app, const std::string& leftover) {
  const CLI::App& command = selected(app);
  if (leftover.starts_with('-')) {
    const std::string name = leftover.substr(0, leftover.find('='));
    Words names = option_names(app);
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
  Words leftovers = app.remaining(true);
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

}  // namespace p2mpp::cli
