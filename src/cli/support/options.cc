#include "cli/support/options.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "base/option.h"

namespace p2mpp::cli {
namespace {

CLI::Validator true_or_false() {
  const ValueCheck check = one_of({"true", "false", "on", "off", "yes", "no", "1", "0"});
  return {[check](std::string& text) { return describe_problem(check, text); }, ""};
}

std::string environment_name(const CLI::Option& option) {
  std::string name = "P2MPP_" + option.get_lnames().front();
  std::ranges::transform(name, name.begin(), [](unsigned char letter) {
    return letter == '-' ? '_' : static_cast<char>(std::toupper(letter));
  });
  return name;
}

void name_variables(CLI::App& app) {
  for (CLI::Option* option : app.get_options(std::function<bool(CLI::Option*)>())) {
    if (option->get_configurable() && !option->get_lnames().empty()) option->envname(environment_name(*option));
  }
}

void finish_values(CLI::Option& option) {
  const bool is_flag = option.get_expected_max() == 0;
  if (is_flag) option.check(true_or_false());
  if (is_flag || option.get_items_expected_max() == 1) option.multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

}  // namespace

void finish_options(CLI::App& app) {
  name_variables(app);
  for (CLI::Option* option : app.get_options(std::function<bool(CLI::Option*)>())) finish_values(*option);
  for (CLI::App* command : app.get_subcommands(std::function<bool(CLI::App*)>())) {
    for (CLI::Option* option : command->get_options(std::function<bool(CLI::Option*)>())) finish_values(*option);
    // CLI11 would read the variables of all subcommands; a wrong value must not affect another subcommand.
    command->preparse_callback([command](std::size_t) { name_variables(*command); });
  }
}

const char* environment_value(const CLI::Option& option) {
  if (option.get_envname().empty()) return nullptr;
  const char* value = std::getenv(option.get_envname().c_str());
  return value != nullptr && *value != '\0' ? value : nullptr;
}

void apply_list_environment(CLI::App& app) {
  for (CLI::Option* option : app.get_options(std::function<bool(CLI::Option*)>())) {
    const char* value = environment_value(*option);
    if (value == nullptr || option->count() > 0) continue;
    option->add_result(value);
    option->run_callback();
  }
  for (CLI::App* command : app.get_subcommands()) apply_list_environment(*command);
}

const CLI::Option* find_own_option(const CLI::App& app, const std::string& long_name) {
  const auto options = app.get_options(
      [&](const CLI::Option* option) { return std::ranges::count(option->get_lnames(), long_name) > 0; });
  return options.empty() ? nullptr : options.front();
}

}  // namespace p2mpp::cli
